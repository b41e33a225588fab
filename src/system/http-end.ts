/** The end of a request that Node tells nobody about. */
import type http from 'node:http';

/**
 * Calls `fail` when a request ends without a response and, it may be, without an error: so ends one that is answered by 101,
 * "another protocol from here on", and a promise that waits for it would wait for ever.
 */
export function whenNoReply(request: http.ClientRequest, fail: (error: Error) => void): void {
  let hasReply = false;
  request.once('response', () => {
    hasReply = true;
  });
  request.once('upgrade', (_response, socket) => {
    socket.destroy();
    fail(new Error('the server switched to another protocol, which nobody asked for'));
  });
  request.once('close', () => {
    if (!hasReply) fail(new Error('the connection ended without a reply'));
  });
}
