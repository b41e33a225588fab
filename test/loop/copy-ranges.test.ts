/** What a copy between devices says when one of them fails. */
import { expect, it } from 'vitest';
import { copyRanges } from '#system/copy-ranges.ts';

const RANGES = [{ startBytes: 4096, lengthBytes: 8192 }];

it('names the device and the byte where it failed', async () => {
  await expect(copyRanges('/dev/zero', '/dev/full', RANGES)).rejects.toThrow(/^writing \/dev\/full at byte 4096: ENOSPC/);
  await expect(copyRanges('/proc/self/mem', '/dev/null', RANGES)).rejects.toThrow(/^reading \/proc\/self\/mem at byte 4096: EIO/);
  await expect(copyRanges('/dev/null', '/dev/null', RANGES)).rejects.toThrow('/dev/null ends at byte 4096');
});
