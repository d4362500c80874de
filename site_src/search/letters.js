// Says which characters are letters, and folds a word so that its spellings become equal.
// `text/terms.py` has the same table, and explains why this copy exists.
(() => {
  "use strict";
  // Ranges, each with two numbers in base 26: the distance from the previous range, and the length minus
  // one. The last digit of a number is a lowercase letter.
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

  // Returns the form of a word that is compared: without accents or uppercase, with one spelling of each
  // letter.
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
