/** A panel typed as http://: one bare question learns the https:// behind it, and nothing else goes in the clear. See docs/decisions/0013-identity.md. */
import http from 'node:http';
import { whenNoReply } from '#system/http-end.ts';
import { PANEL_LIMITS } from './exchange.ts';
import { PanelError } from './faults.ts';

const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * The https origin that `GET /` redirects to. The request carries no header that would tell who asks.
 * @throws PanelError, or the error of the connection
 */
export function httpsBehind(panel: string, timeoutMs = PANEL_LIMITS.headersMs): Promise<string> {
  const origin = new URL('/', panel);
  return new Promise((resolve, reject) => {
    const request = http.get(origin, { agent: false }, (response) => {
      response.destroy();
      clearTimeout(limit);
      const location = response.headers.location;
      const target = location !== undefined && URL.canParse(location, origin.href) ? new URL(location, origin) : null;
      if (REDIRECTS.includes(response.statusCode ?? 0) && target?.protocol === 'https:') return resolve(target.origin);
      reject(new PanelError('tls_other', `${origin.origin} offers no https; nothing secret is sent there`));
    });
    const limit = setTimeout(() => request.destroy(new PanelError('timeout', `no reply came within ${timeoutMs / 1000} s`)), timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(limit);
      reject(error);
    };
    request.on('error', fail);
    whenNoReply(request, fail);
  });
}
