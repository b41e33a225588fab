/** One GET of a text on this machine, with a time limit. */
import http from 'node:http';

const MAX_BYTES = 16 * 1024 * 1024;

export function getText(url: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const req = http.get(url, { agent: false }, (res) => {
      let body = '';
      res.setEncoding('utf8');
      res.on('data', (part: string) => {
        body += part;
        if (body.length > MAX_BYTES) req.destroy(new Error('the answer is too large'));
      });
      res.on('error', reject);
      res.on('end', () => {
        clearTimeout(limit);
        if (res.statusCode === 200) resolve(body);
        else reject(new Error(`it answers ${res.statusCode ?? 'nothing'}`));
      });
    });
    const limit = setTimeout(() => req.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    req.on('error', (e) => {
      clearTimeout(limit);
      reject(e);
    });
  });
}
