// Starts Debian's Chromium for a test and closes it afterwards. Every request
// that is not a file or data: URL is refused and fails the test: what fairdeck
// writes must stand alone.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

export async function withPage(options, use) {
  const dir = await mkdtemp(path.join(tmpdir(), "fairdeck-e2e-"));
  const context = await chromium.launchPersistentContext(dir, {
    executablePath: process.env.FAIRDECK_CHROMIUM || "/usr/bin/chromium",
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ...options,
  });
  const outside = [];
  const errors = [];
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    page.on("request", (r) => {
      if (!/^(file|data|about|blob):/.test(r.url())) outside.push(r.url());
    });
    page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
    page.on("pageerror", (e) => errors.push(String(e)));
    await use(page, { outside, errors });
  } finally {
    await context.close();
    await rm(dir, { recursive: true, force: true });
  }
}
