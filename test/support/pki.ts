/** A certificate authority of a test, and what it signs, made by openssl. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

const openssl = (args: readonly string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' });

/** Makes a CA in `dir`, and signs from it. */
export function authority(dir: string, name = 'test-ca'): { readonly ca: Pair; sign(cn: string, san?: string, days?: number): Pair } {
  const file = (f: string): string => path.join(dir, f);
  const pair = (n: string): Pair => ({ cert: fs.readFileSync(file(`${n}.crt`), 'utf8'), key: fs.readFileSync(file(`${n}.key`), 'utf8') });
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(['req', '-x509', ...ec, '-keyout', file(`${name}.key`), '-out', file(`${name}.crt`), '-days', '30', '-subj', `/CN=${name}`]);
  return {
    ca: pair(name),
    sign: (cn, san = 'IP:127.0.0.1', days = 20) => {
      openssl(['req', ...ec, '-keyout', file(`${cn}.key`), '-out', file(`${cn}.csr`), '-subj', `/CN=${cn}`]);
      fs.writeFileSync(file(`${cn}.ext`), `subjectAltName=${san}\n`);
      const issuer = ['-CA', file(`${name}.crt`), '-CAkey', file(`${name}.key`), '-CAcreateserial'];
      openssl([
        'x509',
        '-req',
        '-in',
        file(`${cn}.csr`),
        ...issuer,
        '-out',
        file(`${cn}.crt`),
        '-days',
        String(days),
        '-extfile',
        file(`${cn}.ext`),
      ]);
      return pair(cn);
    },
  };
}
