#!/usr/bin/env python3
"""The null table of the shuffle battery in numpy, for comparison of speed.

The same 60-card decks, the same statistics (few rising sequences, cyclic descents, kept and turned neighbours, strides at three lags, longest
block, ends, nearness; classes: squared deviations, squared gaps, runs, ends; copies: touching and gaps), the same combination into calibrated
p-values. Vectorised over the orders of a block; no Python loop runs over orders. Prints one line per deck.
"""

import sys
import time

import numpy as np

N = 60
BLOCK = 2000
THETA, STICKY_THETA, STICKY_BETA = 4.2, 1.2, 1.2


def deck(counts, class_faces, rng):
    before = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    cls = (np.arange(len(counts)) >= class_faces).astype(np.int64)
    return before, np.array(counts), cls


class Battery:
    def __init__(self, before, counts, cls):
        self.before, self.counts, self.cls = before, counts, cls
        n, t = N, len(counts)
        self.distinct = counts.max() == 1
        nxt = counts[None, :] - np.eye(t)
        e = np.maximum(counts[:, None] * nxt / (n - 1), 1e-9)
        together = np.zeros((t, t))
        np.add.at(together, (before[:-1], before[1:]), 1)
        gain = lambda rho, c: np.log((1 - rho + rho * c / e) / (1 - rho)) * (c > 0)
        self.kept, self.light, self.turned = gain(.3, together), gain(.08, together), gain(.3, together.T)
        luck = ((together > 0) * nxt / (n - 1)).sum(1)
        self.run = (together > 0) * -np.log(np.clip(luck, 1e-9, 1 - 1e-9))[:, None]
        apart = np.zeros((t, t, n))
        for d in range(1, n):
            np.add.at(apart[:, :, d], (before, np.roll(before, -d)), 1)
        self.stride = [w * np.log((1 - r + r * apart / e[:, :, None]) / (1 - r)) * (apart > 0) for w, r in ((1, .3), (.8, .25), (.6, .2))]
        place = np.arange(n)
        self.mean = np.array([np.exp(-2j * np.pi * place[before == f] / n).mean() for f in range(t)])
        self.turn = np.exp(2j * np.pi * place / n)
        self.info = np.log(n / counts)
        m = counts[cls == 0].sum()
        self.m = m
        sizes = {k: self.hyper(n, m, k) for k in (6, 10, 15, 20, 25)}
        self.ends = sizes
        self.touch = np.where(counts > 1, np.log(n / np.maximum(counts - 1, 1)), 0)

    @staticmethod
    def hyper(n, m, k):
        from math import comb
        p = np.array([comb(m, x) * comb(n - m, k - x) / comb(n, k) if k - x <= n - m and x <= m else 0 for x in range(k + 1)])
        return -np.log(np.clip(np.minimum(np.cumsum(p), np.cumsum(p[::-1])[::-1]), 1e-300, 1))

    def rising_distinct(self, pos):
        p = pos[:, self.before]
        d = np.diff(p, axis=1)
        desc = (d < 0).sum(1)
        kept = (d == 1).sum(1)
        near = np.where((d >= 1) & (d <= 7), 8 - d, 0).sum(1) // 2
        cyc = desc + (p[:, -1] > p[:, 0])
        return [(N - 1 - desc) * 256 + np.minimum(kept, 7) * 32 + np.minimum(near, 31), (N - 1 - desc + kept) * 32 + near, -cyc, cyc]

    def rising_copies(self, e):
        b, order = len(e), np.argsort(e, axis=1, kind="stable")
        start = np.concatenate(([0], np.cumsum(self.counts)))
        places = [order[:, start[f]:start[f + 1]] for f in range(len(self.counts))]
        seq = self.before
        above = {}
        for x, y in zip(seq, np.roll(seq, -1)):
            if (x, y) not in above:
                above[x, y] = places[x][:, :, None] < places[y][:, None, :]
        cyc = sum(.5 if x == y else 1 - above[x, y].mean((1, 2)) for x, y in zip(seq, np.roll(seq, -1)))

        def step(f, x, y, q):
            w = np.where(above[x, y], 1.0, q)
            if x == y:
                w = w * (1 - np.eye(self.counts[x]))
            return w

        def forward(q, lam, bonus=0.0, keep=None):
            f = lam[seq[0]] / self.counts[seq[0]]
            if keep is not None:
                keep.append(f)
            for x, y in zip(seq[:-1], seq[1:]):
                w = step(f, x, y, q)
                if bonus:
                    w = w + bonus * (places[x][:, :, None] + 1 == places[y][:, None, :])
                f = np.einsum("bi,bij->bj", f, w) * lam[y] / self.counts[y]
                if keep is not None:
                    keep.append(f)
            return f.sum(1)

        one = [np.ones((b, c)) for c in self.counts]
        sticky = forward(np.exp(-STICKY_THETA), one, np.exp(STICKY_BETA) - 1)
        q, fs = np.exp(-THETA), []
        z = forward(q, one, keep=fs)
        use = [np.zeros((b, c)) for c in self.counts]
        back = np.ones((b, self.counts[seq[-1]]))
        use[seq[-1]] += fs[-1] * back
        for i in range(N - 2, -1, -1):
            x, y = seq[i], seq[i + 1]
            back = np.einsum("bj,bij->bi", back / self.counts[y], step(None, x, y, q))
            use[x] += fs[i] * back
        lam = [np.clip(1 / np.maximum(u / z[:, None], 1e-12), 1 / 8, 8) for u in use]
        logs = sum(np.log(l).sum(1) for l in lam)
        return [np.log(forward(q, lam)) - logs, np.log(sticky), -cyc, cyc]

    def evaluate(self, e):
        b = len(e)
        rows = np.arange(b)[:, None]
        out = []
        if self.distinct:
            pos = np.empty_like(e)
            pos[rows, e] = np.arange(N)
            out += self.rising_distinct(pos)
        else:
            out += self.rising_copies(e)
        x, y = e[:, :-1], e[:, 1:]
        out += [self.kept[x, y].sum(1), self.light[x, y].sum(1), self.turned[x, y].sum(1)]
        run, best = np.zeros(b), np.zeros(b)
        r = self.run[x, y]
        for i in range(N - 1):
            run = np.where(r[:, i] > 0, run + r[:, i], 0)
            best = np.maximum(best, run)
        out.append(best)
        acc = np.zeros((b, N))
        for lag, table in enumerate(self.stride, 1):
            for i in range(N - lag):
                acc += table[e[:, i], e[:, i + lag]]
            if lag == 1:
                out.append(acc.max(1))
        out.append(acc.max(1))
        z = (self.mean[e] * self.turn).sum(1)
        out.append(np.abs(z))
        same = e == self.before
        head, tail = np.cumprod(same, axis=1), np.cumprod(same[:, ::-1], axis=1)
        out.append((head * self.info[e]).sum(1) + (tail * self.info[e[:, ::-1]]).sum(1))
        # classes
        inside = (self.cls[e] == 0).astype(np.int64)
        count = np.cumsum(inside, axis=1)
        dev = N * count - np.arange(1, N + 1) * self.m
        cvm = (dev * dev).sum(1)
        at = np.nonzero(inside)[1].reshape(b, self.m)
        gaps = np.diff(np.concatenate((np.full((b, 1), -1), at, np.full((b, 1), N)), axis=1), axis=1)
        sq = (gaps * gaps).sum(1)
        runs = (inside[:, 1:] != inside[:, :-1]).sum(1)
        ends = np.zeros(b)
        for k, score in self.ends.items():
            ends = np.maximum(ends, np.maximum(score[count[:, k - 1]], score[self.m - count[:, N - 1 - k]]))
        out += [-cvm, cvm, -sq, sq, -runs, runs, ends]
        # copies
        if not self.distinct:
            out.append((self.touch[x] * (x == y)).sum(1))
            order = np.argsort(e, axis=1, kind="stable")
            start, total = np.concatenate(([0], np.cumsum(self.counts))), np.zeros(b)
            for f in range(len(self.counts)):
                g = np.diff(np.concatenate((np.full((b, 1), -1), order[:, start[f]:start[f + 1]], np.full((b, 1), N)), axis=1), axis=1)
                total += (g * g).sum(1) / self.counts[f]
            out += [-total, total]
        return np.column_stack(out)


def null(battery, draws, rng):
    blocks = []
    for _ in range(draws // BLOCK):
        e = rng.permuted(np.tile(battery.before, (BLOCK, 1)), axis=1)
        blocks.append(battery.evaluate(e))
    v = np.concatenate(blocks)
    p = np.empty_like(v)
    for s in range(v.shape[1]):
        col = np.sort(v[:, s])
        p[:, s] = (draws - np.searchsorted(col, v[:, s])) / (draws + 1)
    return np.sort((1 / p).sum(1))


def main():
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rng = np.random.default_rng(1)
    for name, counts, faces in (("distinct", [1] * 60, 24), ("copies", [6, 6] + [4] * 12, 5)):
        battery = Battery(*deck(counts, faces, rng))
        t = time.process_time()
        null(battery, draws, rng)
        t = time.process_time() - t
        print(f"numpy {np.__version__} {name}: {t / draws * 1e9:.0f} ns/permutation ({draws} permutations of 60 cards, one core)")


if __name__ == "__main__":
    main()
