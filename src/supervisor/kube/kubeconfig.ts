/** The few facts of a kubeconfig that k3s writes: where the API is, and the certificates. One cluster, one user. */
import { Secret } from '#model/secret.ts';

export interface KubeAccess {
  readonly server: URL;
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: Secret | null;
}

const field = (text: string, name: string): string | null =>
  new RegExp(`^\\s*${name}:\\s*["']?([^\\s"']+)["']?\\s*$`, 'm').exec(text)?.[1] ?? null;

const decoded = (base64: string | null): string | null => (base64 === null ? null : Buffer.from(base64, 'base64').toString('utf8'));

/** Throws an Error naming what is missing. */
export function parseKubeconfig(text: string): KubeAccess {
  const server = field(text, 'server');
  if (server === null) throw new Error('the kubeconfig names no server');
  if (!URL.canParse(server)) throw new Error(`the kubeconfig has a server that is no URL: ${server}`);
  const key = decoded(field(text, 'client-key-data'));
  return {
    server: new URL(server),
    ca: decoded(field(text, 'certificate-authority-data')),
    cert: decoded(field(text, 'client-certificate-data')),
    key: key === null ? null : new Secret(key),
  };
}
