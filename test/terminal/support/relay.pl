# Runs a program on a new pseudo terminal and relays its bytes: relay.pl COLUMNS ROWS PROGRAM [ARG...]
#
# Standard input goes to the program, what it writes comes out on standard output. Lines on descriptor 3 are orders:
# "size COLUMNS ROWS", "signal NAME" and "hangup". Exits with the program's code, or 128 + the signal that ended it.
# Perl because every Debian and Ubuntu has it; no module beyond perl-base.
use strict;
use warnings;
use POSIX ();

use constant { TIOCSPTLCK => 0x40045431, TIOCGPTN => 0x80045430, TIOCSCTTY => 0x540E, TIOCSWINSZ => 0x5414 };

my ($columns, $rows, @program) = @ARGV;
sysopen(my $master, '/dev/ptmx', POSIX::O_RDWR() | POSIX::O_NOCTTY()) or die "ptmx: $!";
my $unlocked = pack('i', 0);
ioctl($master, TIOCSPTLCK, $unlocked) or die "unlock: $!";
my $number = pack('i', 0);
ioctl($master, TIOCGPTN, $number) or die "number: $!";
my $slave = '/dev/pts/' . unpack('i', $number);

sub set_size {
    my $size = pack('S4', $_[2], $_[1], 0, 0);
    ioctl($_[0], TIOCSWINSZ, $size);
}

my $pid = fork() // die "fork: $!";
if ($pid == 0) {
    POSIX::setsid();
    sysopen(my $tty, $slave, POSIX::O_RDWR()) or die "$slave: $!";
    my $steal = 0;
    ioctl($tty, TIOCSCTTY, $steal);
    set_size($tty, $columns, $rows);
    POSIX::dup2(fileno($tty), $_) for 0 .. 2;
    POSIX::close($_) for 3 .. 20;
    exec { $program[0] } @program or POSIX::_exit(127);
}

# The program's end is known by its exit, not by the end of its output: a child of its own may keep the line open.
open(my $orders, '<&=', 3) or die "orders: $!";
my %sources = (fileno(STDIN) => \*STDIN, fileno($master) => $master, fileno($orders) => $orders);
my $status;

sub give {
    my ($to, $data) = @_;
    while (length $data) {
        my $sent = syswrite($to, $data) // return;
        $data = substr($data, $sent);
    }
}

sub obey {
    my ($what, @words) = split ' ', shift;
    if ($what eq 'size') { set_size($master, @words); kill 'WINCH', $pid }
    elsif ($what eq 'signal') { kill $words[0], $pid }
    elsif ($what eq 'hangup') { delete $sources{ fileno $master }; close $master }
}

while ($sources{ fileno($master) // -1 }) {
    my $ready = '';
    vec($ready, $_, 1) = 1 for keys %sources;
    select($ready, undef, undef, 0.05);
    for my $fd (keys %sources) {
        next unless vec($ready, $fd, 1);
        my $from = $sources{$fd};
        my $count = sysread($from, my $data, 65536);
        # A program that got this terminal as its own hangs it up when it ends; whoever handed it over opens it again.
        if (!$count && $from == $master && !defined $status) { select(undef, undef, undef, 0.02) }
        elsif (!$count) { delete $sources{$fd} }
        elsif ($from == \*STDIN) { give($master, $data) }
        elsif ($from == $master) { give(\*STDOUT, $data) }
        else { obey($_) for split /\n/, $data }
    }
    if (!defined $status && waitpid($pid, POSIX::WNOHANG()) == $pid) { $status = $? }
    last if defined $status && !vec($ready, fileno($master) // 0, 1);
}
waitpid($pid, 0), $status = $? unless defined $status;
exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
