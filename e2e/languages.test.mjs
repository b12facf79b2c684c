// The report in every language, with a rule book: drawn with the fonts of that
// language, readable on a phone, accessible.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { withPage } from "./browser.mjs";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "..");
const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const deck = path.join(root, "testdata", "decks", "d2_marks_matte_blue");

// The book's originals are in the second language, the font family that draws
// each where Noto's are installed in the third column.
const languages = {
  en: { book: ["cnc-2011"], quote: "zh-Hans", font: null },
  "zh-Hans": { book: ["cnc-2011"], quote: "zh-Hans", font: "Noto Sans CJK SC" },
  "zh-Hant": { book: ["konami-asia-2008"], quote: "zh-Hant", font: "Noto Sans CJK TC" },
  ja: { book: ["bushiroad-floor", "--level", "2"], quote: "zh-Hans", font: "Noto Sans CJK JP" },
};
let dir;

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fairdeck-languages-"));
  const files = Array.from({ length: 6 }, (_, i) => path.join(deck, `back_00${i}.jpg`));
  for (const [lang, { book }] of Object.entries(languages)) {
    const code = await run(path.join(root, "bin", "fairdeck"), ["inspect", ...files, "--lang", lang, "--ruleset", ...book, "--out", path.join(dir, lang)])
      .then(() => 0, (e) => e.code);
    assert.equal(code, 10, `${lang}: this deck has marks: exit code 10`);
  }
});

after(async () => { await rm(dir, { recursive: true, force: true }); });

async function fontsOf(page, selector) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("DOM.enable");
  await cdp.send("CSS.enable");
  const { root: top } = await cdp.send("DOM.getDocument");
  const { nodeId } = await cdp.send("DOM.querySelector", { nodeId: top.nodeId, selector });
  const { fonts } = await cdp.send("CSS.getPlatformFontsForNode", { nodeId });
  return fonts.map((f) => f.familyName);
}

const installed = await run("fc-list", [":", "family"]).then((r) => r.stdout, () => "");

for (const [lang, { font, quote }] of Object.entries(languages)) {
  test(`the report in ${lang}`, async (t) => {
    const url = pathToFileURL(path.join(dir, lang, "report.html")).href;
    await withPage({ viewport: { width: 360, height: 740 } }, async (page, seen) => {
      await page.goto(url);
      assert.equal(await page.getAttribute("html", "lang"), lang);
      assert.ok(await page.locator("#rules").count(), "the rule section is there");
      assert.equal(await page.locator("q").first().getAttribute("lang"), quote, "quotes keep their language");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${wide} px too wide on a phone`);
      const clipped = await page.$$eval("h1, h2, h3, p, td, th, dt, dd, li, figcaption, .badge", (all) =>
        all.filter((e) => e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible").length);
      assert.equal(clipped, 0, "no text is clipped");
      await page.evaluate(axeSource);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map((v) => `${v.impact}: ${v.id} ${v.nodes[0]?.target}`), []);
      assert.deepEqual(seen.outside, [], "nothing is fetched from elsewhere");
      if (font && installed.includes(font)) {
        assert.ok((await fontsOf(page, "h1")).includes(font), `the headline is drawn with ${await fontsOf(page, "h1")}`);
      } else if (font) {
        t.diagnostic(`${font} is not installed: which font draws the page was not tested`);
      }
      const quoted = { "zh-Hans": "Noto Sans CJK SC", "zh-Hant": "Noto Sans CJK TC" }[quote];
      if (installed.includes(quoted)) {
        assert.ok((await fontsOf(page, "q")).includes(quoted), `the quote is drawn with ${await fontsOf(page, "q")}`);
      }
    });
  });
}
