// A whole deck in parts: the report and the player's receipt in every language,
// on a desktop, on a phone and on paper.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, mkdir, readFile, rm } from "node:fs/promises";
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
const fairdeck = path.join(root, "bin", "fairdeck");
const pictures = (flag, ...places) => places.flatMap((i) => [flag, path.join(deck, `back_${String(i).padStart(3, "0")}.jpg`)]);

// What a reader of each language sees of the parts.
const languages = {
  en: { main: "Main deck", side: "Side deck", apart: "Sleeve 2" },
  "zh-Hans": { main: "主卡组", side: "副卡组", apart: "卡套2" },
  "zh-Hant": { main: "主卡組", side: "副卡組", apart: "卡套2" },
  ja: { main: "メインデッキ", side: "サイドデッキ", apart: "スリーブ2" },
};
// FAIRDECK_PICTURES names a folder to keep the pictures in, for looking at.
const keep = process.env.FAIRDECK_PICTURES;
let dir;

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fairdeck-parts-"));
  if (keep) await mkdir(keep, { recursive: true });
  for (const lang of Object.keys(languages)) {
    const out = path.join(dir, lang);
    const code = await run(fairdeck, ["inspect", ...pictures("--main", 0, 3, 4, 5, 6, 7), ...pictures("--side", 9, 2, 10),
      "--lang", lang, "--ruleset", "cnc-2011", "--out", out]).then(() => 0, (e) => e.code);
    assert.equal(code, 10, `${lang}: this deck has a mark in its side deck: exit code 10`);
    const applied = await run(fairdeck, ["rules", "apply", "--ruleset", "cnc-2011", "--lang", lang, "--shared", "no", "--count", "main=39", "--until", "15m",
      "--player", "A. Player", "--tournament", "CNC", "--receipt", path.join(out, "receipt.html"), out]).then(() => 0, (e) => e.code);
    assert.equal(applied, 10, `${lang}: exit code of rules apply`);
  }
});

after(async () => { await rm(dir, { recursive: true, force: true }); });

async function sound(page, seen, what) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${what}: ${wide} px too wide`);
  const clipped = await page.$$eval("h1, h2, h3, p, td, th, dt, dd, li, figcaption, .badge, .level", (all) =>
    all.filter((e) => e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible").map((e) => e.textContent));
  assert.deepEqual(clipped, [], `${what}: text is clipped`);
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map((v) => `${v.impact}: ${v.id} ${v.nodes[0]?.target}`), [], what);
  assert.deepEqual(seen.outside, [], `${what}: nothing is fetched from elsewhere`);
  assert.deepEqual(seen.errors, [], `${what}: the console is silent`);
  const ids = await page.$$eval("[id]", (all) => all.map((e) => e.id));
  assert.equal(new Set(ids).size, ids.length, `${what}: an id stands twice`);
  const dead = await page.$$eval('a[href^="#"], use', (all) => all.map((e) => e.getAttribute("href").slice(1)).filter((id) => !document.getElementById(id)));
  assert.deepEqual(dead, [], `${what}: links that lead nowhere`);
}

for (const [lang, words] of Object.entries(languages)) {
  for (const [name, viewport] of Object.entries({ desktop: { width: 1200, height: 900 }, phone: { width: 390, height: 844 } })) {
    test(`a deck in parts, ${lang}, ${name}`, async () => {
      await withPage({ viewport }, async (page, seen) => {
        for (const file of ["report", "receipt", "ruling"]) {
          await page.goto(pathToFileURL(path.join(dir, lang, `${file}.html`)).href);
          assert.equal(await page.getAttribute("html", "lang"), lang);
          await sound(page, seen, `${file}, ${lang}, ${name}`);
          if (keep) await page.screenshot({ path: path.join(keep, `${file}-${lang}-${name}.png`), fullPage: true });
          if (file !== "report") continue;
          for (const [id, title] of [["main", words.main], ["side", words.side]]) {
            assert.equal((await page.innerText(`#${id}-title`)).trim(), title);
          }
          assert.ok((await page.innerText("#side-sleeve-2")).includes(words.apart), "the marked sleeve is numbered by its place in the side deck");
          assert.equal(await page.locator("#main-sleeve-2").count(), 0, "and is not one of the main deck's");
        }
      });
    });
  }
  test(`a deck in parts, ${lang}, on paper`, async () => {
    await withPage({}, async (page) => {
      for (const [file, most, size] of [["report", 8, [595, 842]], ["receipt", 1, [420, 595]]]) {
        await page.goto(pathToFileURL(path.join(dir, lang, `${file}.html`)).href);
        const pdf = path.join(keep ?? dir, `${file}-${lang}.pdf`);
        await page.pdf({ path: pdf, preferCSSPageSize: true });
        const raw = (await readFile(pdf)).toString("latin1");
        const pages = raw.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
        assert.ok(pages >= 1 && pages <= most, `${file}: ${pages} pages, at most ${most}`);
        for (const [, w, h] of raw.matchAll(/\/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)/g)) {
          assert.ok(Math.abs(w - size[0]) < 2 && Math.abs(h - size[1]) < 2, `${file}: ${w} x ${h} pt`);
        }
      }
    });
  });
}
