/** Names of hosts, one question at a time: each takes a thread of the pool that the disk is read with, and a dead resolver keeps it. */
import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

type Answer = { readonly error: NodeJS.ErrnoException | null; readonly found: readonly dns.LookupAddress[] };

const pending = new Map<string, Promise<Answer>>();

function addressesOf(host: string): Promise<Answer> {
  const old = pending.get(host);
  if (old !== undefined) return old;
  const asked = new Promise<Answer>((resolve) => {
    dns.lookup(host, { all: true }, (error, found) => {
      pending.delete(host);
      resolve({ error, found: found ?? [] });
    });
  });
  pending.set(host, asked);
  return asked;
}

/** For `net.connect` and agents: whoever asks for a host that is being asked for waits for the same answer. */
export const sharedLookup: LookupFunction = (host, options, done) => {
  void addressesOf(host).then(({ error, found }) => {
    const family = options.family === 4 || options.family === 'IPv4' ? 4 : options.family === 6 || options.family === 'IPv6' ? 6 : 0;
    const fitting = found.filter((address) => family === 0 || address.family === family);
    const none = error ?? (fitting.length === 0 ? Object.assign(new Error(`no address for ${host}`), { code: 'ENOTFOUND' }) : null);
    const [first] = fitting;
    if (none !== null || first === undefined) done(none, '');
    else if (options.all) done(null, fitting as dns.LookupAddress[]);
    else done(null, first.address, first.family);
  });
};
