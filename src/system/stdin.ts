/** Standard input as bytes. */

/** At most `maxBytes`; what follows is left unread. */
export async function readStdin(maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : new Uint8Array(chunk as Uint8Array);
    chunks.push(bytes.subarray(0, maxBytes - length));
    length += chunks.at(-1)?.length ?? 0;
    if (length >= maxBytes) break;
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
