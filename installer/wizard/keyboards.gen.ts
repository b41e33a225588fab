/**
 * What each key types, plain and with Shift, in the same order of keys; a blank for what is not ASCII.
 * Made by scripts/gen-keyboards.mjs; do not edit.
 */
export const KEYBOARDS: Readonly<Record<string, readonly [plain: string, shifted: string]>> = {
  us: ["`1234567890-=qwertyuiop[]asdfghjkl;'\\<zxcvbnm,./", "~!@#$%^&*()_+QWERTYUIOP{}ASDFGHJKL:\"|>ZXCVBNM<>?"],
  uk: ["`1234567890-=qwertyuiop[]asdfghjkl;'#\\zxcvbnm,./", " !\" $%^&*()_+QWERTYUIOP{}ASDFGHJKL:@~|ZXCVBNM<>?"],
  de: [" 1234567890  qwertzuiop +asdfghjkl  #<yxcvbnm,.-", " !\" $%&/()=? QWERTZUIOP *ASDFGHJKL  '>YXCVBNM;:_"],
  fr: [" & \"'(- _  )=azertyuiop $qsdfghjklm *<wxcvbn,;:!", "~1234567890 +AZERTYUIOP  QSDFGHJKLM% >WXCVBN?./ "],
  es: [" 1234567890' qwertyuiop +asdfghjkl   <zxcvbnm,.-", " !\" $%&/()=? QWERTYUIOP *ASDFGHJKL   >ZXCVBNM;:_"],
  it: ["\\1234567890' qwertyuiop +asdfghjkl   <zxcvbnm,.-", "|!\" $%&/()=?^QWERTYUIOP *ASDFGHJKL   >ZXCVBNM;:_"],
  pt: ["\\1234567890' qwertyuiop+ asdfghjkl   <zxcvbnm,.-", "|!\"#$%&/()=? QWERTYUIOP* ASDFGHJKL   >ZXCVBNM;:_"],
  'br-abnt2': ["'1234567890-=qwertyuiop [asdfghjkl  ]\\zxcvbnm,.;", "\"!@#$% &*()_+QWERTYUIOP {ASDFGHJKL  }|ZXCVBNM<>:"],
  ca: ["#1234567890-=qwertyuiop  asdfghjkl; < zxcvbnm,. ", "|!\"/$%?&*()_+QWERTYUIOP  ASDFGHJKL: > ZXCVBNM'. "],
  dk: [" 1234567890+ qwertyuiop  asdfghjkl  '<zxcvbnm,.-", " !\"# %&/()=? QWERTYUIOP  ASDFGHJKL  *>ZXCVBNM;:_"],
  fi: [" 1234567890+ qwertyuiop  asdfghjkl  '<zxcvbnm,.-", " !\"# %&/()=? QWERTYUIOP  ASDFGHJKL  *>ZXCVBNM;:_"],
  no: ["|1234567890+\\qwertyuiop  asdfghjkl  '<zxcvbnm,.-", " !\"# %&/()=? QWERTYUIOP  ASDFGHJKL  *>ZXCVBNM;:_"],
  se: [" 1234567890+ qwertyuiop  asdfghjkl  '<zxcvbnm,.-", " !\"# %&/()=? QWERTYUIOP  ASDFGHJKL  *>ZXCVBNM;:_"],
  nl: ["@1234567890/ qwertyuiop *asdfghjkl+ <]zxcvbnm,.-", " !\"#$%&_()'? QWERTYUIOP |ASDFGHJKL  >[ZXCVBNM;:="],
  pl: ["`1234567890-=qwertyuiop[]asdfghjkl;'\\<zxcvbnm,./", "~!@#$%^&*()_+QWERTYUIOP{}ASDFGHJKL:\"|>ZXCVBNM<>?"],
  cz: [";+         = qwertzuiop )asdfghjkl   \\yxcvbnm,.-", " 1234567890% QWERTZUIOP/(ASDFGHJKL\"!'|YXCVBNM?:_"],
  ru: [" 1234567890-=                       \\/         .", " !\" ;%:?*()_+                       /|         ,"],
  jp106: [" 1234567890-^qwertyuiop@[asdfghjkl;:]<zxcvbnm,./", " !\"#$%&'()~=~QWERTYUIOP`{ASDFGHJKL+*}>ZXCVBNM<>?"],
};
