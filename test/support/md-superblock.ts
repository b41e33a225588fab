/** The first bytes of half of a RAID1, as `mdadm --create` writes them: metadata 1.2, whose block begins at 4 KiB. */

export interface HalfOfArray {
  readonly name: string;
  readonly dataOffsetSectors: number;
  readonly dataSectors: number;
}

export function mdSuperblock({ name, dataOffsetSectors, dataSectors }: HalfOfArray): Buffer {
  const block = Buffer.alloc(4096 + 256 + 2 * 128);
  const sb = block.subarray(4096);
  sb.writeUInt32LE(0xa92b4efc, 0);
  sb.writeUInt32LE(1, 4);
  sb.write('0123456789abcdef', 16, 'latin1');
  sb.write(name, 32, 'latin1');
  sb.writeInt32LE(1, 72);
  sb.writeBigUInt64LE(BigInt(dataSectors), 80);
  sb.writeUInt32LE(2, 92);
  sb.writeBigUInt64LE(BigInt(dataOffsetSectors), 128);
  sb.writeBigUInt64LE(BigInt(dataSectors), 136);
  sb.writeBigUInt64LE(8n, 144);
  // Places for 128 members, of which the first two are taken.
  sb.writeUInt32LE(128, 220);
  for (let role = 0; role < 128; role++) sb.writeUInt16LE(role < 2 ? role : 0xffff, 256 + 2 * role);
  return withChecksum(block);
}

function withChecksum(block: Buffer): Buffer {
  const sb = block.subarray(4096);
  let sum = 0n;
  for (let at = 0; at < sb.length; at += 4) sum += BigInt(sb.readUInt32LE(at));
  sb.writeUInt32LE(Number((sum & 0xffffffffn) + (sum >> 32n)), 216);
  return block;
}
