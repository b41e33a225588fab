/** Why a rule is there, for `spatium explain`. One reason serves a family of rules; loaded only when somebody asks. */

const REASONS: Readonly<Record<string, string>> = {
  file: 'The installer, cloud-init and editors must all see the same text, so what they read differently is refused at its place.',
  'file.header': 'cloud-init takes a file as cloud-config only when the header is its very first bytes, and says nothing otherwise.',
  'file.more': 'Beyond some hundreds of findings the first ones are what has to be mended.',
  yaml: 'An answer file decides which disk is erased, so it is read in one way only or not at all.',
  'yaml.reading':
    'The text that is written counts here. Other readers turn 0123 into 83 and NO into false; a value in quotes is the same to all of them.',
  'yaml.minor-version': 'Versions of YAML differ in what yes, no and 012 mean; every file is read as YAML 1.2 here.',
  'yaml.alias-limit': 'A few lines of aliases can stand for billions of values and fill the memory of whoever reads them.',
  'yaml.depth': 'No answer lies deeper than three levels; a file that goes on wants to exhaust its reader.',
  block: 'A file may serve cloud-init as well, so the answers have a block of their own that cannot be taken for anything else.',
  key: 'A misspelt or doubled key would be an answer that nobody gave.',
  'key.unused': 'A key that has no effect is mostly a sign that the role is not the one that was meant.',
  value: 'A value counts as it is written; what is empty, or still a template, is no answer.',
  boolean: 'true and false are the only words that every YAML reader takes for a boolean.',
  number: '024 is 20 to some readers and 24 to others; plain digits are the same to all of them.',
  answer: 'With unattended: true nobody is there to ask, so an answer that has no default must be in the file.',
  role: 'The role decides which services the machine runs, and cannot be guessed.',
  'after-install': 'The machine does this with nobody watching.',
  machine: 'k3s takes memory before the first service runs; below the floor it is killed again and again.',
  'machine.architecture': 'There are system images for these machines only.',
  disk: 'The disk that is named is erased. No rule may pick between two disks, and a name must mean the same disk after a reboot.',
  keep: 'Keeping /var needs the layout of an earlier installation on that disk.',
  mirror: 'A mirror is a second whole disk that is erased as well, and at least as large as the target.',
  hostname: 'The name becomes a Kubernetes node name: one label of RFC 1123 in lower case. Equal or odd names collide when nodes register.',
  user: 'useradd takes these names only, and an account or group of that name may be there already.',
  password: 'The administrator logs in with it at the console, and it is written into an account record.',
  hash: 'The hash is written into /etc/shadow as it is; one that libcrypt does not take locks the administrator out.',
  'ssh-key': 'sshd skips a line that it cannot read without a word, and so locks out whoever relied on it.',
  ssh: 'Without a valid key and without passwords nobody could log in over ssh.',
  timezone: 'The list of zones ships with the program, so that the verdict is the same on every machine.',
  ntp: 'Certificates and the cluster fail on a machine whose clock is wrong.',
  keymap: 'The code is handed to the keyboard compiler of the image.',
  network: 'A machine that comes up without its network can only be mended at its console.',
  network6: 'A static IPv6 address stands beside a static IPv4 one; a DHCP profile has no place for it.',
  address: 'The address is written into the network profile as it is.',
  gateway: 'A gateway that cannot be reached leaves the machine without a way out of its subnet.',
  dns: 'The name servers are written into the network profile of their family.',
  mtu: 'Under 1280 bytes IPv6 does not work (RFC 8200), and an MTU belongs to one port.',
  k3s: 'Pods and services get these addresses. Where they overlap the LAN, its hosts can no longer be reached; they cannot be changed later.',
  url: 'The appliance sends its pairing code there.',
  pairing: 'The control plane gives out eight digits. Anything else in the value is a slip, not a separator.',
  fleet: 'Two machines with one name, address, disk or code cannot both work.',
};

/** The reason of a rule's own, or that of its family. */
export function reasonOf(rule: string): string {
  return REASONS[rule] ?? REASONS[rule.split('.')[0] ?? ''] ?? '';
}
