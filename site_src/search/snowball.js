// The English stemmer of Snowball 3.1.1, as `snowball algorithms/english.sbl -js` writes it, with what
// it needs of `javascript/base-stemmer.js`. Comments, assertions and modules are left out. Its license
// is in `snowball.txt`; the Python side has the same release in `text/terms.py`.
(globalThis.skillbuild ??= {}).snowball = (() => {
  "use strict";
  class BaseStemmer {
      constructor() {
          this.current = '';
          this.c = 0;
          this.limit = 0;
          this.limit_backward = 0;
          this.bra = 0;
          this.ket = 0;
          this.af = 0;
      }

      setCurrent(value) {
          this.current = value;
          this.c = 0;
          this.limit = this.current.length;
          this.limit_backward = 0;
          this.bra = this.c;
          this.ket = this.limit;
      }

      getCurrent() {
          return this.current;
      }

      in_grouping(s, min, max) {
          if (this.c >= this.limit) return false;
          let ch = this.current.charCodeAt(this.c);
          if (ch > max || ch < min) return false;
          ch -= min;
          if ((s[ch >>> 3] & (0x1 << (ch & 0x7))) === 0) return false;
          this.c++;
          return true;
      }

      go_in_grouping(s, min, max) {
          while (this.c < this.limit) {
              let ch = this.current.charCodeAt(this.c);
              if (ch > max || ch < min)
                  return true;
              ch -= min;
              if ((s[ch >>> 3] & (0x1 << (ch & 0x7))) === 0)
                  return true;
              this.c++;
          }
          return false;
      }

      in_grouping_b(s, min, max) {
          if (this.c <= this.limit_backward) return false;
          let ch = this.current.charCodeAt(this.c - 1);
          if (ch > max || ch < min) return false;
          ch -= min;
          if ((s[ch >>> 3] & (0x1 << (ch & 0x7))) === 0) return false;
          this.c--;
          return true;
      }

      go_out_grouping(s, min, max) {
          while (this.c < this.limit) {
              let ch = this.current.charCodeAt(this.c);
              if (ch <= max && ch >= min) {
                  ch -= min;
                  if ((s[ch >>> 3] & (0X1 << (ch & 0x7))) !== 0) {
                      return true;
                  }
              }
              this.c++;
          }
          return false;
      }

      out_grouping_b(s, min, max) {
          if (this.c <= this.limit_backward) return false;
          let ch = this.current.charCodeAt(this.c - 1);
          if (ch > max || ch < min) {
              this.c--;
              return true;
          }
          ch -= min;
          if ((s[ch >>> 3] & (0x1 << (ch & 0x7))) === 0) {
              this.c--;
              return true;
          }
          return false;
      }

      go_out_grouping_b(s, min, max) {
          while (this.c > this.limit_backward) {
              let ch = this.current.charCodeAt(this.c - 1);
              if (ch <= max && ch >= min) {
                  ch -= min;
                  if ((s[ch >>> 3] & (0x1 << (ch & 0x7))) !== 0) {
                      return true;
                  }
              }
              this.c--;
          }
          return false;
      }

      eq_s(s) {
          if (this.limit - this.c < s.length) return false;
          if (!this.current.startsWith(s, this.c)) return false;
          this.c += s.length;
          return true;
      }

      eq_s_b(s) {
          if (this.c - this.limit_backward < s.length) return false;
          if (!this.current.endsWith(s, this.c)) return false;
          this.c -= s.length;
          return true;
      }

      find_among(v, call_among_func) {
          let i = 0;
          let j = v.length;

          const c = this.c;
          const l = this.limit;

          let common_i = 0;
          let common_j = 0;

          let first_key_inspected = false;

          while (true) {
              const k = i + ((j - i) >>> 1);
              let diff = 0;
              let common = common_i < common_j ? common_i : common_j;

              const w = v[k];
              let i2;
              for (i2 = common; i2 < w[0].length; i2++) {
                  if (c + common === l) {
                      diff = -1;
                      break;
                  }
                  diff = this.current.charCodeAt(c + common) - w[0].charCodeAt(i2);
                  if (diff !== 0) break;
                  common++;
              }
              if (diff < 0) {
                  j = k;
                  common_j = common;
              } else {
                  i = k;
                  common_i = common;
              }
              if (j - i <= 1) {
                  if (i > 0) break;
                  if (j === i) break;
                  if (first_key_inspected) break;
                  first_key_inspected = true;
              }
          }
          while (true) {
              const w = v[i];
              if (common_i >= w[0].length) {
                  this.c = c + w[0].length;
                  if (w.length < 4) return w[1];
                  this.af = w[3];
                  if (call_among_func.call(this)) {
                      this.c = c + w[0].length;
                      return w[1];
                  }
              }

              if (!w[2]) return 0;
              i -= w[2];
          }
      }

      find_among_b(v, call_among_func) {
          let i = 0;
          let j = v.length

          const c = this.c;
          const lb = this.limit_backward;

          let common_i = 0;
          let common_j = 0;

          let first_key_inspected = false;

          while (true) {
              const k = i + ((j - i) >> 1);
              let diff = 0;
              let common = common_i < common_j ? common_i : common_j;
              const w = v[k];
              let i2;
              for (i2 = w[0].length - 1 - common; i2 >= 0; i2--) {
                  if (c - common === lb) {
                      diff = -1;
                      break;
                  }
                  diff = this.current.charCodeAt(c - 1 - common) - w[0].charCodeAt(i2);
                  if (diff !== 0) break;
                  common++;
              }
              if (diff < 0) {
                  j = k;
                  common_j = common;
              } else {
                  i = k;
                  common_i = common;
              }
              if (j - i <= 1) {
                  if (i > 0) break;
                  if (j === i) break;
                  if (first_key_inspected) break;
                  first_key_inspected = true;
              }
          }
          while (true) {
              const w = v[i];
              if (common_i >= w[0].length) {
                  this.c = c - w[0].length;
                  if (w.length < 4) return w[1];
                  this.af = w[3];
                  if (call_among_func.call(this)) {
                      this.c = c - w[0].length;
                      return w[1];
                  }
              }

              if (!w[2]) return 0;
              i -= w[2];
          }
      }

      #replace_s(c_bra, c_ket, s) {
          const adjustment = s.length - (c_ket - c_bra);
          this.current = this.current.slice(0, c_bra) + s + this.current.slice(c_ket);
          this.limit += adjustment;
          if (this.c >= c_ket) this.c += adjustment;
          else if (this.c > c_bra) this.c = c_bra;
          return adjustment;
      }

      slice_from(s) {
          this.#replace_s(this.bra, this.ket, s);
          this.ket = this.bra + s.length;
      }

      slice_del() {
          this.slice_from("");
      }
  }

  const a_0 = [
      ["arsen", -1],
      ["commun", -1],
      ["emerg", -1],
      ["gener", -1],
      ["inter", -1],
      ["later", -1],
      ["organ", -1],
      ["past", -1],
      ["univers", -1]
  ];

  const a_1 = [
      ["'", 1],
      ["'s'", 1, 1],
      ["'s", 1]
  ];

  const a_2 = [
      ["ied", 2],
      ["s", 3],
      ["ies", 2, 1],
      ["sses", 1, 2],
      ["ss", -1, 3],
      ["us", -1, 4]
  ];

  const a_3 = [
      ["succ", 1],
      ["proc", 1],
      ["exc", 1]
  ];

  const a_4 = [
      ["even", 2],
      ["cann", 2],
      ["inn", 2],
      ["earr", 2],
      ["herr", 2],
      ["out", 2],
      ["y", 1]
  ];

  const a_5 = [
      ["", -1],
      ["ed", 2, 1],
      ["eed", 1, 1],
      ["ing", 3, 3],
      ["edly", 2, 4],
      ["eedly", 1, 1],
      ["ingly", 2, 6]
  ];

  const a_6 = [
      ["", 3],
      ["bb", 2, 1],
      ["dd", 2, 2],
      ["ff", 2, 3],
      ["gg", 2, 4],
      ["bl", 1, 5],
      ["mm", 2, 6],
      ["nn", 2, 7],
      ["pp", 2, 8],
      ["rr", 2, 9],
      ["at", 1, 10],
      ["tt", 2, 11],
      ["iz", 1, 12]
  ];

  const a_7 = [
      ["anci", 3],
      ["enci", 2],
      ["ogi", 14],
      ["li", 16],
      ["bli", 12, 1],
      ["abli", 4, 1],
      ["alli", 8, 3],
      ["fulli", 9, 4],
      ["lessli", 15, 5],
      ["ousli", 10, 6],
      ["entli", 5, 7],
      ["aliti", 8],
      ["biliti", 12],
      ["iviti", 11],
      ["tional", 1],
      ["ational", 7, 1],
      ["alism", 8],
      ["ation", 7],
      ["ization", 6, 1],
      ["izer", 6],
      ["ator", 7],
      ["iveness", 11],
      ["fulness", 9],
      ["ousness", 10],
      ["ogist", 13]
  ];

  const a_8 = [
      ["icate", 4],
      ["ative", 6],
      ["alize", 3],
      ["iciti", 4],
      ["ical", 4],
      ["tional", 1],
      ["ational", 2, 1],
      ["ful", 5],
      ["ness", 5]
  ];

  const a_9 = [
      ["ic", 1],
      ["ance", 1],
      ["ence", 1],
      ["able", 1],
      ["ible", 1],
      ["ate", 1],
      ["ive", 1],
      ["ize", 1],
      ["iti", 1],
      ["al", 1],
      ["ism", 1],
      ["ion", 2],
      ["er", 1],
      ["ous", 1],
      ["ant", 1],
      ["ent", 1],
      ["ment", 1, 1],
      ["ement", 1, 1]
  ];

  const a_10 = [
      ["e", 1],
      ["l", 2]
  ];

  const a_11 = [
      ["andes", -1],
      ["atlas", -1],
      ["bias", -1],
      ["cosmos", -1],
      ["early", 6],
      ["gently", 4],
      ["howe", -1],
      ["idly", 3],
      ["news", -1],
      ["only", 7],
      ["singly", 8],
      ["skies", 2],
      ["skis", 1],
      ["sky", -1],
      ["ugly", 5]
  ];

  const as_11 = ["ski", "sky", "idl", "gentl", "ugli", "earli", "onli", "singl"];

  const g_aeo = [17, 64];

  const g_v = [17, 65, 16, 1];

  const g_v_WXY = [1, 17, 65, 208, 1];

  const g_valid_LI = [55, 141, 2];

  class EnglishStemmer extends BaseStemmer {
      #B_Y_found= false;
      #I_p2= 0;
      #I_p1= 0;

      #r_prelude() {
          this.#B_Y_found = false;
          const v_1 = this.c;
          lab0: {
              this.bra = this.c;
              if (!(this.eq_s("'"))) break lab0;
              this.ket = this.c;
              this.slice_del();
          }
          this.c = v_1;
          const v_2 = this.c;
          lab1: {
              this.bra = this.c;
              if (!(this.eq_s("y"))) break lab1;
              this.ket = this.c;
              this.slice_from("Y");
              this.#B_Y_found = true;
          }
          this.c = v_2;
          const v_3 = this.c;
          lab2: {
              while (true) {
                  const v_4 = this.c;
                  lab3: {
                      golab4: while (true)
                      {
                          const v_5 = this.c;
                          lab5: {
                              if (!(this.in_grouping(g_v, 97, 121))) break lab5;
                              this.bra = this.c;
                              if (!(this.eq_s("y"))) break lab5;
                              this.ket = this.c;
                              this.c = v_5;
                              break golab4;
                          }
                          this.c = v_5;
                          if (this.c >= this.limit) break lab3;
                          this.c++;
                      }
                      this.slice_from("Y");
                      this.#B_Y_found = true;
                      continue;
                  }
                  this.c = v_4;
                  break;
              }
          }
          this.c = v_3;
          return true;
      }

      #r_mark_regions() {
          this.#I_p1 = this.limit;
          this.#I_p2 = this.limit;
          const v_1 = this.c;
          lab0: {
              lab1: {
                  const v_2 = this.c;
                  lab2: {
                      if (this.find_among(a_0) === 0) break lab2;
                      break lab1;
                  }
                  this.c = v_2;
                  if (!this.go_out_grouping(g_v, 97, 121)) break lab0;
                  this.c++;
                  if (!this.go_in_grouping(g_v, 97, 121)) break lab0;
                  this.c++;
              }
              this.#I_p1 = this.c;
              if (!this.go_out_grouping(g_v, 97, 121)) break lab0;
              this.c++;
              if (!this.go_in_grouping(g_v, 97, 121)) break lab0;
              this.c++;
              this.#I_p2 = this.c;
          }
          this.c = v_1;
          return true;
      }

      #r_shortv() {
          lab0: {
              const v_1 = this.limit - this.c;
              lab1: {
                  if (!(this.out_grouping_b(g_v_WXY, 89, 121))) break lab1;
                  if (!(this.in_grouping_b(g_v, 97, 121))) break lab1;
                  if (!(this.out_grouping_b(g_v, 97, 121))) break lab1;
                  break lab0;
              }
              this.c = this.limit - v_1;
              lab2: {
                  if (!(this.out_grouping_b(g_v, 97, 121))) break lab2;
                  if (!(this.in_grouping_b(g_v, 97, 121))) break lab2;
                  if (this.c > this.limit_backward) break lab2;
                  break lab0;
              }
              this.c = this.limit - v_1;
              if (!(this.eq_s_b("past"))) return false;
          }
          return true;
      }

      #r_R1() {
          return this.#I_p1 <= this.c;
      }

      #r_R2() {
          return this.#I_p2 <= this.c;
      }

      #r_Step_1a() {
          let a;
          const v_1 = this.limit - this.c;
          lab0: {
              this.ket = this.c;
              if (this.find_among_b(a_1) === 0) {
                  this.c = this.limit - v_1;
                  break lab0;
              }
              this.bra = this.c;
              this.slice_del();
          }
          this.ket = this.c;
          a = this.find_among_b(a_2);
          if (a === 0) return false;
          this.bra = this.c;
          switch (a) {
              case 1: {
                  this.slice_from("ss");
                  break;
              }
              case 2: {
                  lab1: {
                      const v_2 = this.limit - this.c;
                      lab2: {
                          if (this.c - 2 < this.limit_backward) break lab2;
                          this.c -= 2;
                          this.slice_from("i");
                          break lab1;
                      }
                      this.c = this.limit - v_2;
                      this.slice_from("ie");
                  }
                  break;
              }
              case 3: {
                  if (this.c <= this.limit_backward) return false;
                  this.c--;
                  if (!this.go_out_grouping_b(g_v, 97, 121)) return false;
                  this.c--;
                  this.slice_del();
                  break;
              }
          }
          return true;
      }

      #r_Step_1b() {
          let a;
          this.ket = this.c;
          a = this.find_among_b(a_5);
          this.bra = this.c;
          lab0: {
              const v_1 = this.limit - this.c;
              lab1: {
                  switch (a) {
                      case 1: {
                          const v_2 = this.limit - this.c;
                          lab2: {
                              if (!this.#r_R1()) break lab2;
                              lab3: {
                                  const v_3 = this.limit - this.c;
                                  lab4: {
                                      if (this.find_among_b(a_3) === 0) break lab4;
                                      if (this.c > this.limit_backward) break lab4;
                                      break lab3;
                                  }
                                  this.c = this.limit - v_3;
                                  this.slice_from("ee");
                              }
                          }
                          this.c = this.limit - v_2;
                          break;
                      }
                      case 2: {
                          break lab1;
                      }
                      case 3: {
                          a = this.find_among_b(a_4);
                          if (a === 0) break lab1;
                          switch (a) {
                              case 1: {
                                  const v_4 = this.limit - this.c;
                                  if (!(this.out_grouping_b(g_v, 97, 121))) break lab1;
                                  if (this.c > this.limit_backward) break lab1;
                                  this.c = this.limit - v_4;
                                  this.bra = this.c;
                                  this.slice_from("ie");
                                  break;
                              }
                              case 2: {
                                  if (this.c > this.limit_backward) break lab1;
                                  break;
                              }
                          }
                          break;
                      }
                  }
                  break lab0;
              }
              this.c = this.limit - v_1;
              const v_5 = this.limit - this.c;
              if (!this.go_out_grouping_b(g_v, 97, 121)) return false;
              this.c--;
              this.c = this.limit - v_5;
              this.slice_del();
              this.ket = this.c;
              this.bra = this.c;
              const v_6 = this.limit - this.c;
              a = this.find_among_b(a_6);
              switch (a) {
                  case 1: {
                      this.slice_from("e");
                      return false;
                  }
                  case 2: {
                      {
                          const v_7 = this.limit - this.c;
                          lab5: {
                              if (!(this.in_grouping_b(g_aeo, 97, 111))) break lab5;
                              if (this.c > this.limit_backward) break lab5;
                              return false;
                          }
                          this.c = this.limit - v_7;
                      }
                      break;
                  }
                  case 3: {
                      if (this.c !== this.#I_p1) return false;
                      const v_8 = this.limit - this.c;
                      if (!this.#r_shortv()) return false;
                      this.c = this.limit - v_8;
                      this.slice_from("e");
                      return false;
                  }
              }
              this.c = this.limit - v_6;
              this.ket = this.c;
              if (this.c <= this.limit_backward) return false;
              this.c--;
              this.bra = this.c;
              this.slice_del();
          }
          return true;
      }

      #r_Step_1c() {
          this.ket = this.c;
          lab0: {
              lab1: {
                  if (!(this.eq_s_b("y"))) break lab1;
                  break lab0;
              }
              if (!(this.eq_s_b("Y"))) return false;
          }
          this.bra = this.c;
          if (!(this.out_grouping_b(g_v, 97, 121))) return false;
          if (this.c <= this.limit_backward) return false;
          this.slice_from("i");
          return true;
      }

      #r_Step_2() {
          let a;
          this.ket = this.c;
          a = this.find_among_b(a_7);
          if (a === 0) return false;
          this.bra = this.c;
          if (!this.#r_R1()) return false;
          switch (a) {
              case 1: {
                  this.slice_from("tion");
                  break;
              }
              case 2: {
                  this.slice_from("ence");
                  break;
              }
              case 3: {
                  this.slice_from("ance");
                  break;
              }
              case 4: {
                  this.slice_from("able");
                  break;
              }
              case 5: {
                  this.slice_from("ent");
                  break;
              }
              case 6: {
                  this.slice_from("ize");
                  break;
              }
              case 7: {
                  this.slice_from("ate");
                  break;
              }
              case 8: {
                  this.slice_from("al");
                  break;
              }
              case 9: {
                  this.slice_from("ful");
                  break;
              }
              case 10: {
                  this.slice_from("ous");
                  break;
              }
              case 11: {
                  this.slice_from("ive");
                  break;
              }
              case 12: {
                  this.slice_from("ble");
                  break;
              }
              case 13: {
                  this.slice_from("og");
                  break;
              }
              case 14: {
                  if (!(this.eq_s_b("l"))) return false;
                  this.slice_from("og");
                  break;
              }
              case 15: {
                  this.slice_from("less");
                  break;
              }
              case 16: {
                  if (!(this.in_grouping_b(g_valid_LI, 99, 116))) return false;
                  this.slice_del();
                  break;
              }
          }
          return true;
      }

      #r_Step_3() {
          let a;
          this.ket = this.c;
          a = this.find_among_b(a_8);
          if (a === 0) return false;
          this.bra = this.c;
          if (!this.#r_R1()) return false;
          switch (a) {
              case 1: {
                  this.slice_from("tion");
                  break;
              }
              case 2: {
                  this.slice_from("ate");
                  break;
              }
              case 3: {
                  this.slice_from("al");
                  break;
              }
              case 4: {
                  this.slice_from("ic");
                  break;
              }
              case 5: {
                  this.slice_del();
                  break;
              }
              case 6: {
                  if (!this.#r_R2()) return false;
                  this.slice_del();
                  break;
              }
          }
          return true;
      }

      #r_Step_4() {
          let a;
          this.ket = this.c;
          a = this.find_among_b(a_9);
          if (a === 0) return false;
          this.bra = this.c;
          if (!this.#r_R2()) return false;
          switch (a) {
              case 1: {
                  this.slice_del();
                  break;
              }
              case 2: {
                  lab0: {
                      lab1: {
                          if (!(this.eq_s_b("s"))) break lab1;
                          break lab0;
                      }
                      if (!(this.eq_s_b("t"))) return false;
                  }
                  this.slice_del();
                  break;
              }
          }
          return true;
      }

      #r_Step_5() {
          let a;
          this.ket = this.c;
          a = this.find_among_b(a_10);
          if (a === 0) return false;
          this.bra = this.c;
          switch (a) {
              case 1: {
                  lab0: {
                      lab1: {
                          if (!this.#r_R2()) break lab1;
                          break lab0;
                      }
                      if (!this.#r_R1()) return false;
                      {
                          const v_1 = this.limit - this.c;
                          lab2: {
                              if (!this.#r_shortv()) break lab2;
                              return false;
                          }
                          this.c = this.limit - v_1;
                      }
                  }
                  this.slice_del();
                  break;
              }
              case 2: {
                  if (!this.#r_R2()) return false;
                  if (!(this.eq_s_b("l"))) return false;
                  this.slice_del();
                  break;
              }
          }
          return true;
      }

      #r_exception1() {
          let a;
          this.bra = this.c;
          a = this.find_among(a_11);
          if (a === 0) return false;
          this.ket = this.c;
          if (this.c < this.limit) return false;
          if (a > 0) {
              this.slice_from(as_11[a - 1]);
          }
          return true;
      }

      #r_postlude() {
          if (!this.#B_Y_found) return false;
          while (true) {
              const v_1 = this.c;
              lab0: {
                  golab1: while (true)
                  {
                      const v_2 = this.c;
                      lab2: {
                          this.bra = this.c;
                          if (!(this.eq_s("Y"))) break lab2;
                          this.ket = this.c;
                          this.c = v_2;
                          break golab1;
                      }
                      this.c = v_2;
                      if (this.c >= this.limit) break lab0;
                      this.c++;
                  }
                  this.slice_from("y");
                  continue;
              }
              this.c = v_1;
              break;
          }
          return true;
      }

      #stem() {
          lab0: {
              const v_1 = this.c;
              lab1: {
                  if (!this.#r_exception1()) break lab1;
                  break lab0;
              }
              this.c = v_1;
              lab2: {
                  lab3: {
                      if (this.c + 3 > this.limit) break lab3;
                      this.c += 3;
                      break lab2;
                  }
                  break lab0;
              }
              this.c = v_1;
              this.#r_prelude();
              this.#r_mark_regions();
              this.limit_backward = this.c; this.c = this.limit;
              const v_2 = this.limit - this.c;
              this.#r_Step_1a();
              this.c = this.limit - v_2;
              const v_3 = this.limit - this.c;
              this.#r_Step_1b();
              this.c = this.limit - v_3;
              const v_4 = this.limit - this.c;
              this.#r_Step_1c();
              this.c = this.limit - v_4;
              const v_5 = this.limit - this.c;
              this.#r_Step_2();
              this.c = this.limit - v_5;
              const v_6 = this.limit - this.c;
              this.#r_Step_3();
              this.c = this.limit - v_6;
              const v_7 = this.limit - this.c;
              this.#r_Step_4();
              this.c = this.limit - v_7;
              const v_8 = this.limit - this.c;
              this.#r_Step_5();
              this.c = this.limit - v_8;
              this.c = this.limit_backward;
              const v_9 = this.c;
              this.#r_postlude();
              this.c = v_9;
          }
          return true;
      }

      stem(input) {
          this.setCurrent(input);
          this.#stem();
          return this.getCurrent();
      }
  }

  const stemmer = new EnglishStemmer();
  return (word) => stemmer.stem(word);
})();
