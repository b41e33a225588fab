/** Who this box is: names, role, versions. */
import { PATHS } from '#model/limits.ts';
import type { SectionData } from '#model/status.ts';
import { type HostView, parseKeyValues } from '#system/observe.ts';
import { type Collector, ok } from '../collector.ts';

const ENV_FILE = '/etc/spatiumddi/.env';
const JOIN_STATE = '/var/lib/spatiumddi/release-state/cluster-join.state';

/** Names that older installs wrote for the same two roles. */
const ROLES: Readonly<Record<string, NonNullable<SectionData['identity']['role']>>> = {
  'control-plane': 'control-plane',
  'full-stack': 'control-plane',
  'frontend-core': 'control-plane',
  appliance: 'appliance',
  application: 'appliance',
};

const clean = (word: string | null | undefined): string | null => {
  const w = word?.trim() ?? '';
  // Firmware that was never filled in says so in these words.
  return w === '' || /^(to be filled by o\.?e\.?m\.?|default string|not specified|none|n\/a)$/i.test(w) ? null : w;
};

async function settings(host: HostView, file: string): Promise<Map<string, string>> {
  return parseKeyValues((await host.text(file).catch(() => null)) ?? '');
}

function roleOf(
  written: string | null,
  hasPanel: boolean,
): { readonly role: SectionData['identity']['role']; readonly errors: readonly string[] } {
  // A box that pulls its configuration is what its panel says; it has no role of ours.
  if (written === null && hasPanel) return { role: null, errors: [] };
  if (written === null) return { role: null, errors: ['not set up as a control plane or an appliance (no role)'] };
  const role = ROLES[written];
  return role ? { role, errors: [] } : { role: null, errors: [`unknown role "${written}"`] };
}

const MODES = ['dashboard', 'text_console', 'verbose_dashboard'] as const;

/** What the kernel was started with, and what the boot environment will give it next time. */
export function consoleMode(
  cmdline: string | null,
  grubenv: string | null,
): Pick<SectionData['identity'], 'console_mode' | 'console_mode_pending'> {
  const next = MODES[Number(parseKeyValues(grubenv ?? '').get('spatium_verbose') ?? Number.NaN)] ?? null;
  // Only our own boot menu speaks of modes.
  if (cmdline === null || next === null) return { console_mode: null, console_mode_pending: null };
  const words = cmdline.split(/\s+/);
  const now = words.includes('spatium-console=off') ? 'text_console' : words.includes('quiet') ? 'dashboard' : 'verbose_dashboard';
  return { console_mode: now, console_mode_pending: next === now ? null : next };
}

export function identityCollector(host: HostView): Collector<'identity'> {
  const dmi = (name: string): Promise<string | null> => host.word(`/sys/class/dmi/id/${name}`).catch(() => null);
  return {
    name: 'identity',
    periodMs: 15_000,
    timeLimitMs: 3000,
    ttlMs: 60_000,
    source: '/etc/spatiumddi, os-release, DMI',
    async collect() {
      const [hostname, kernel, osRelease, release, roleConfig, env, join, k3s, vendor, product, uuid] = await Promise.all([
        host.word('/proc/sys/kernel/hostname'),
        host.word('/proc/sys/kernel/osrelease'),
        settings(host, '/etc/os-release'),
        settings(host, PATHS.release),
        settings(host, PATHS.roleConfig),
        settings(host, ENV_FILE),
        host.word(JOIN_STATE).catch(() => null),
        host.word(PATHS.k3sVersion).catch(() => null),
        dmi('sys_vendor'),
        dmi('product_name'),
        dmi('product_uuid'),
      ]);
      const written = clean(roleConfig.get('ROLE') ?? env.get('APPLIANCE_ROLE'));
      const hasPanel = (await host.exists(PATHS.pullSettings)) || (await host.exists(PATHS.pullSettingsLocal));
      const { role, errors } = roleOf(written, hasPanel);
      const appliance = clean(release.get('APPLIANCE_VERSION') ?? env.get('APPLIANCE_VERSION'));
      const stack = clean(env.get('SPATIUMDDI_VERSION'));
      return ok({
        hostname: hostname ?? (await host.word('/etc/hostname')) ?? 'unknown',
        role,
        install_role: written,
        is_cluster_member: join?.split('\t')[0] === 'ready',
        appliance_id: await host.word('/var/persist/spatium-supervisor/identity/appliance_id').catch(() => null),
        machine_uuid: clean(uuid),
        product: clean(product),
        vendor: clean(vendor),
        kernel: kernel ?? 'unknown',
        os_release: osRelease.get('PRETTY_NAME') ?? 'unknown',
        appliance_version: appliance,
        stack_version: stack,
        versions_match: appliance !== null && stack !== null ? appliance === stack : null,
        k3s_version: clean(k3s),
        ...consoleMode(await host.word('/proc/cmdline'), await host.text(`${PATHS.grubDir}/grubenv`).catch(() => null)),
        config_errors: [...errors],
      });
    },
  };
}
