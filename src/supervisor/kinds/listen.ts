/** Can these places be had? Each is taken for a moment and given back. */
import net from 'node:net';
import { errnoOf } from '#system/files.ts';
import { bad, good, type ListenPlace, type Outcome } from './kind.ts';

/** The errno, null when it can be had. Accepts nobody: what comes in that moment waits in the backlog and is refused. */
function tryPlace({ address, port }: ListenPlace): Promise<string | null> {
  return new Promise((resolve) => {
    const server = net.createServer((socket) => socket.destroy());
    server.once('error', (error) => resolve(errnoOf(error) ?? 'UNKNOWN'));
    server.listen({ host: address ?? '::', port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

const WORDS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another program on this box',
  EADDRNOTAVAIL: 'is not an address of this box',
  EACCES: 'may not be used',
};

export async function canListen(places: readonly ListenPlace[]): Promise<Outcome> {
  for (const place of places) {
    const errno = await tryPlace(place);
    if (errno === null) continue;
    const what = errno === 'EADDRNOTAVAIL' ? `${place.address}` : `${place.address ?? 'every address'}, port ${place.port}`;
    return bad(`${what} ${WORDS[errno] ?? `cannot be used (${errno})`}`);
  }
  return good;
}
