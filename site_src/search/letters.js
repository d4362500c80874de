// Which characters are letters, and how a word is folded so that spellings of it become one.
// The twin of the table in `text/terms.py`, which says why the table stands here.
(() => {
  "use strict";
  // Ranges, each as two numbers of base 26: the way from the last range, and the length less one. The
  // last digit of a number is a small letter.
  const LETTERS =
    "BwjizhzBwaibcaebcccwcBecLkcrBdDpdidgpbpekasDbrplamacccactcBrcBllEzcdcCscBldbhpBiBldaiBmkqcwcccac" +
    "bcamBagcBvzgvljfDxchckcddmuBceBaCcBxMyccCadrdeeldjscchdbdvcgcaeddacgdbdckafbcedldfjadffbdvcgcbcb" +
    "cbdacefbdcmdcaionccgcacccvcgcbcedjccccdaqagjscchdbdvcgcbdddhebdcjbfbccfjtbcfeccdebcacbebecehccfe" +
    "eccdkaqlpcchcccwcjcefgcccdibkbfjtbchcccwcjcefgcccdibiacbfjtbchcccwcpffdccdkajbfjtbcrexcicadgeaff" +
    "cachtboCfgocjBobcadbcadahdcgcccacadbcmccdecacfdjdbBjaybhtcacacafjcBhhtcffhcBjkaCgBhcecbcgedhjhjC" +
    "tBllBoiDlgCpgDdhgcCkcacddgcacddBmcacddBecacddgcacddgcgcwcBecacddgcBmcsptBkDgnXvdhlzgCwecqmcgmumt" +
    "nmcccbnDfeafaejBicdjhDjjBpCApFzfDlhvdfdBldfdhcacacacBedCacgcaeccgeddffmgccgEmbdfgkCtBayafadjcaee" +
    "hacacacdcccgecgekBwBCfChDbuYiBdDFecBaocedefDhdbdccDlcdgBnfDpedlxCfpBhjBooBhjBooMjJTdCxBEXxDnBSuC" +
    "VkQNrMQnLpdCgFugneglcmcecacbcbcEdBiNytCldCbBplfprdCzecFeujizhzmDkefdfdfdcBEyBecdnBaHaBldBlCZRkee" +
    "fjhdgBfdWxDgcCscbdadbddclcacdcbcCmcddhcgcBbcdcecaegcMzfycycBecycBecycBecycBecycffBxPDxCLEsBETeUv";
  const IDEOGRAPHS =
    "\\u1100-\\u11ff\\u2e80-\\u2fdf\\u3005-\\u30ff\\u3130-\\u318f\\u31f0-\\u31ff\\u3400-\\u9fff" +
    "\\uac00-\\ud7a3\\uf900-\\ufaff\\uff66-\\uffdc\\u{20000}-\\u{2fa1f}";

  let last = 0;
  let LETTER = "";
  const value = (digits) => [...digits].reduce((sum, digit) => 26 * sum + (digit.charCodeAt(0) & 31) - 1, 0);
  const numbers = LETTERS.match(/[A-Z]*[a-z]/g).map(value);
  for (let i = 0; i < numbers.length; i += 2) {
    const first = last + numbers[i];
    last = first + numbers[i + 1];
    LETTER += `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`;
  }
  const OTHER = new RegExp(`[^${LETTER}]`, "gu");

  // A word in the form that is compared: no accents, no upper case, one spelling of each letter.
  const folded = (word) =>
    word
      .normalize("NFKD")
      .replace(/[\u0300-\u036f]/g, "")
      .toLowerCase()
      .replaceAll("\u00df", "ss")
      .replaceAll("\u03c2", "\u03c3")
      .normalize("NFC")
      .replace(OTHER, "");

  (globalThis.skillbuild ??= {}).letters = { LETTER, IDEOGRAPHS, folded };
})();
