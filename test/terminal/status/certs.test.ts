/** Certificates from files and from handshakes, against servers whose certificates openssl has just made. */
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { certOf, certsCollector, shownBy } from '#supervisor/collectors/certs.ts';
import { ControlPlaneWatch, lookAt } from '#supervisor/collectors/control-plane-look.ts';
import { AGENT_DIR, controlPlaneCollector, pairingCollector } from '#supervisor/collectors/fleet.ts';
import { hostView } from '#system/observe.ts';
import { atEnd } from '../../support/at-end.ts';
import { authority, type Pair } from '../../support/pki.ts';
import { tempDir } from '../../support/temp.ts';

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((r) => server.listen(0, '127.0.0.1', () => r()));
  atEnd(() => server.close());
  return (server.address() as AddressInfo).port;
}
const serve = (pair: Pair, answer: http.RequestListener = (_, res) => res.writeHead(404).end()): Promise<number> =>
  listen(https.createServer({ cert: pair.cert, key: pair.key }, answer));

function tree(files: Readonly<Record<string, string>>): string {
  const root = tempDir();
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  }
  return root;
}

const NOW = Date.now();
const DAY_MS = 86_400_000;

describe('how long a certificate is good', () => {
  it.each([
    ['15 days', 15.5, true, 15, 'ok'],
    ['14 days', 14.5, true, 14, 'warning'],
    ['an hour', 0.04, true, 0, 'warning'],
    ['ended, and the box needs it', -0.04, true, -1, 'critical'],
    ['ended, and people can click it away', -0.04, false, -1, 'warning'],
  ] as const)('%s', (_, days, isVital, left, severity) => {
    expect(certOf('x', new Date(NOW + days * DAY_MS).toUTCString(), isVital, NOW)).toMatchObject({ days_left: left, severity });
  });
  it('one that cannot be read is unknown', () => {
    expect(certOf('x', null, true, NOW)).toEqual({ name: 'x', not_after: null, days_left: null, severity: 'unknown' });
  });
});

describe('the certs section', () => {
  it('reads ours, those of k3s, and the one that the web UI shows', async () => {
    const ca = authority(tempDir());
    const [k3s, ui] = [ca.sign('k3s-api', 'IP:127.0.0.1', 5), ca.sign('web-ui')];
    const port = await serve(ui);
    // Later than the certificates, so that none has a whole number of days left.
    const nowMs = Date.now() + 60_000;
    const root = tree({
      '/var/lib/rancher/k3s/server/tls/server-ca.crt': ca.ca.cert,
      // A chain: what counts is its first certificate.
      '/var/lib/rancher/k3s/server/tls/serving-kube-apiserver.crt': k3s.cert + ca.ca.cert,
      [`${AGENT_DIR}/tls/cert.pem`]: 'no certificate',
    });
    const seen = await certsCollector(
      hostView(root),
      () => nowMs,
      () => shownBy('127.0.0.1', port),
    ).collect();
    if (seen.state !== 'ok') throw new Error(seen.state);
    expect(seen.data.map((c) => [c.name, c.days_left, c.severity])).toEqual([
      ['supervisor', null, 'unknown'],
      ['k3s_ca', 29, 'ok'],
      ['k3s_api', 4, 'warning'],
      ['web_ui', 19, 'ok'],
    ]);
  });

  it('without any it does not apply; a port without TLS shows none, in time', async () => {
    const silent = net.createServer((c) => c.on('error', () => undefined));
    const port = await listen(silent);
    expect(await shownBy('127.0.0.1', port, 200)).toBeNull();
    const none = certsCollector(
      hostView(tree({})),
      () => NOW,
      async () => null,
    );
    expect(await none.collect()).toEqual({ state: 'not_applicable' });
  });
});

describe('the control plane', () => {
  const clock = { nowMs: 0 };
  const section = async (root: string, watch: ControlPlaneWatch) => {
    const [cp, pairing] = [
      await controlPlaneCollector(hostView(root), watch).collect(),
      await pairingCollector(hostView(root), watch).collect(),
    ];
    if (cp.state !== 'ok' || pairing.state !== 'ok') throw new Error('not ok');
    return { cp: cp.data, pairing: pairing.data };
  };

  it('is looked at once a minute, and one that shows another certificate than the pinned one is told', async () => {
    const ca = authority(tempDir());
    const other = authority(tempDir(), 'other-ca');
    let requests = 0;
    const port = await serve(ca.sign('control-plane'), (_, res) => {
      requests += 1;
      res.writeHead(401).end();
    });
    const files = {
      '/etc/spatiumddi/role-config': `ROLE=appliance\nCONTROL_PLANE_URL=https://localhost:${port}\n`,
      [`${AGENT_DIR}/tls/cert.pem`]: ca.sign('appliance').cert,
    };
    const pinned = tree({ ...files, [`${AGENT_DIR}/tls/control-plane.pem`]: ca.ca.cert });
    const watch = new ControlPlaneWatch(() => clock.nowMs);
    for (let i = 0; i < 4; i += 1) {
      const { cp, pairing } = await section(pinned, watch);
      expect(cp).toMatchObject({ tcp_ok: true, tls_ok: true, http_ok: true, resolved_addrs: [expect.stringMatching(/127\.0\.0\.1|::1/)] });
      expect(pairing).toMatchObject({ state: 'paired', pin_mismatch: false });
    }
    expect(requests).toBe(1);
    const moved = tree({ ...files, [`${AGENT_DIR}/tls/control-plane.pem`]: other.ca.cert });
    const { cp, pairing } = await section(moved, new ControlPlaneWatch(() => clock.nowMs));
    expect(cp).toMatchObject({ tcp_ok: true, tls_ok: false, http_ok: true });
    expect(pairing).toMatchObject({ state: 'pin_mismatch', pin_mismatch: true });
  });

  it('a port that speaks no TLS, and one that says nothing, end in time', async () => {
    const plain = await listen(http.createServer((_, res) => res.end()));
    expect(await lookAt(new URL(`https://127.0.0.1:${plain}`), null)).toEqual({ tlsOk: false, httpOk: false, pinMatches: null });
    expect(await lookAt(new URL(`http://127.0.0.1:${plain}`), null)).toEqual({ tlsOk: null, httpOk: true, pinMatches: null });
    const silent = await listen(net.createServer((c) => c.on('error', () => undefined)));
    expect(await lookAt(new URL(`https://127.0.0.1:${silent}`), null, 200)).toMatchObject({ tlsOk: false, httpOk: false });
  });
});
