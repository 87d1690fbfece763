import {
  drawBelow,
  hammingDistance64,
  jaccard,
  meanSentiment,
  minhash,
  minhashCoefficients,
  minhashSimilarity,
  nearDuplicate,
  normaliseText,
  seededRandom,
  sentiment,
  shingles,
  simhash64
} from "@tapeline/quant"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assertHolds, assertNear, findCounterexample, seed } from "./propertyTesting.ts"

describe("text similarity", () => {
  it("estimates Jaccard by MinHash within 5.5 standard errors", () => {
    const hashes = minhashCoefficients(512, 3)
    expect(
      findCounterexample(
        500,
        fc.property(
          fc.integer({ min: 1, max: 200 }),
          fc.integer({ min: 0, max: 200 }),
          fc.integer({ min: 0, max: 200 }),
          (shared, left, right) => {
            const named = (prefix: string, count: number): string[] =>
              Array.from({ length: count }, (_, i) => `${prefix}${i}`)
            const a = [...named("s", shared), ...named("l", left)]
            const b = [...named("s", shared), ...named("r", right)]
            const exactSimilarity = jaccard(a, b)
            assertNear(
              "estimate",
              minhashSimilarity(minhash(a, hashes), minhash(b, hashes)),
              exactSimilarity,
              5.5 * Math.sqrt((exactSimilarity * (1 - exactSimilarity)) / 512) + 1e-9
            )
          }
        )
      )
    ).toBeUndefined()
  })

  it("hashes exactly: (a x + b) mod m in whole numbers", () => {
    const integer = fc.maxSafeNat()
    expect(
      findCounterexample(
        5000,
        fc.property(integer, integer, fc.integer({ min: 1, max: 2 ** 34 }), fc.maxSafeNat(), (a, b, m, x) => {
          assertHolds(
            minhash([x], [[a, b, m]])[0] === Number((BigInt(a) * BigInt(x) + BigInt(b)) % BigInt(m)),
            () => "differs"
          )
        })
      )
    ).toBeUndefined()
    expect(() => minhash([-1], [[1, 1, 5]])).toThrow(/member/)
    expect(() => minhash([1], [[1, 1, 2 ** 40]])).toThrow(/2\^34/)
    expect(minhash([], [[1, 1, 5]])[0]).toBe(Infinity)
    expect(minhash(["a", "b"])).toEqual(minhash(["b", "a", "a"]))
  })

  it("is symmetric by Jaccard, and 1 for equal sets", () => {
    const set = fc.array(fc.nat(20))
    expect(findCounterexample(
      1000,
      fc.property(set, set, (a, b) => {
        assertNear("symmetric", jaccard(a, b), jaccard(b, a), 0)
        assertNear("self", jaccard(a, a), 1, 0)
        const union = new Set([...a, ...b]).size
        if (union > 0) assertNear("count", jaccard(a, b), new Set(a.filter((x) => b.includes(x))).size / union, 1e-15)
      })
    )).toBeUndefined()
  })

  it("is high by SimHash for copies, and low for unrelated texts", () => {
    const post =
      "Huge news for $SOL holders, the new partnership is live and the chart is about to explode, do not miss this one"
    const copy =
      "huge news for SOL holders!! the new partnership is LIVE and the chart is about to explode, dont miss this one 🚀 https://x.y/z"
    const other =
      "The central bank left rates unchanged and said that inflation is expected to slow during the second half of the year"
    expect(hammingDistance64(simhash64(post), simhash64(copy))).toBeLessThan(16)
    expect(hammingDistance64(simhash64(post), simhash64(other))).toBeGreaterThan(20)
    expect(simhash64("")).toBe(0n)
    expect(simhash64(["a", "b"])).toBe(simhash64(["b", "a"]))
    expect(hammingDistance64(0n, 2n ** 64n - 1n)).toBe(64)
  })

  it("detects near-duplicates of short texts that SimHash misses", () => {
    const random = seededRandom(seed)
    const words =
      "bitcoin ether rally market buyers exchange listing today breaks above below support chart volume whales moved "
        .concat(
          "wallet bridge funding longs squeezed update network upgrade staking airdrop claim community month record miners"
        )
        .split(" ")
    const word = (): string => words[drawBelow(words.length, random)]!
    // The rates of a smaller sample exceed the limits by chance.
    const count = 2_000
    let [missedPairs, falsePositives, within3] = [0, 0, 0]
    for (let i = 0; i < count; i++) {
      const text = Array.from({ length: 6 + (i % 15) }, word)
      const copy = [...text]
      const replaced = drawBelow(3, random)
      copy.splice(drawBelow(text.length, random), replaced === 0 ? 0 : 1, ...(replaced === 1 ? [] : [word()]))
      const [a, b] = [text.join(" "), `${copy.join(", ").toUpperCase()}!!! https://a.b`]
      if (!nearDuplicate(a, b)) missedPairs++
      if (hammingDistance64(simhash64(a), simhash64(b)) <= 3) within3++
      if (nearDuplicate(a, text.map(word).join(" "))) falsePositives++
    }
    expect(missedPairs / count).toBeLessThan(0.02)
    expect(falsePositives / count).toBeLessThan(0.02)
    expect(within3 / count).toBeLessThan(0.4)
    expect(nearDuplicate("비트코인이 오늘 급등했다", "비트코인이 오늘 급등했다!!")).toBe(true)
    expect(nearDuplicate("", "!!!")).toBe(true)
    expect(() => nearDuplicate("a", "b", 2)).toThrow(/minSimilarity/)
  })

  it("uses shingles of normalised text", () => {
    expect(normaliseText("  ＢＴＣ — is  UP! @someone https://a.b ")).toBe("btc is up")
    expect([...shingles("비트코인 급등", 2, "character")]).toEqual(["비트", "트코", "코인", "인 ", " 급", "급등"])
    expect([...shingles("one two", 3)]).toEqual(["one two"])
    expect(shingles("!!!").size).toBe(0)
    expect(() => shingles("a", 0)).toThrow(RangeError)
  })
})

describe("sentiment", () => {
  const positive = [
    "Bitcoin rallies to a record high",
    "Very bullish on ETH, strong breakout",
    "SEC approves the ETF, inflows surge",
    "to the moon 🚀🚀",
    "I love this project",
    "비트코인 급등, 신고가 돌파",
    "호재가 쏟아진다, 강세 지속",
    "오늘도 수익 인증, 대박",
    "가즈아",
    "위험하지 않다",
    "비트코인 사기 좋은 시점",
    "지금이 사기에 딱 좋은 때",
    "a good time to buy bitcoin",
    "Ripple won the lawsuit",
    "the team has won approval",
    "Биткоин резко вырос, рекорд",
    "Отличные новости, рынок растёт",
    "Приток средств в фонды, оптимизм инвесторов",
    "прибыль растет"
  ]
  const negative = [
    "Exchange hacked, funds stolen",
    "ETH crashes, traders liquidated",
    "this is a scam, total rug pull",
    "not bullish at all",
    "bankruptcy fears, panic selling 📉",
    "코인 폭락, 공포 확산",
    "거래소 해킹으로 파산",
    "상장폐지 악재",
    "전망이 좋지 않다",
    "코인 사기 피해 급증",
    "비트코인 사기 조심하세요",
    "투자 사기를 당했다",
    "대표를 사기 혐의로 고소했다",
    "대표를 사기로 고소했다",
    "not a good time to buy",
    "hackers drained the hackathon's treasury after a hack",
    "급등 없이 하락",
    "Рынок рухнул, паника",
    "Биржа обанкротилась, мошенники украли деньги",
    "Не растёт, слабый спрос",
    "Обвал и ликвидации"
  ]
  const neutral = [
    "The meeting is on Tuesday",
    "",
    "12:30 UTC",
    "회의는 화요일입니다",
    "Встреча во вторник",
    "The Korean won at 1400 per dollar",
    "It trades at 90 million won",
    "Join the Solana hackathon on Friday",
    "a stealth team",
    "수사기관 발표",
    "비트코인 사기 전에",
    "비트코인을 사기로 했다",
    "growth hacks for startups",
    "The won fell against the dollar",
    "Korean won strengthens to 1,380 per dollar",
    "the won is weak",
    "원화 약세",
    "원/달러 환율 급등"
  ]

  it.each(positive)("is above 0: %s", (text) => expect(sentiment(text).score).toBeGreaterThan(0.15))
  it.each(negative)("is below 0: %s", (text) => expect(sentiment(text).score).toBeLessThan(-0.15))
  it.each(neutral)("is 0 without hits: %s", (text) => expect(sentiment(text)).toEqual({ score: 0, hits: 0 }))

  it("is bounded for any text", () => {
    expect(findCounterexample(
      2000,
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { score } = sentiment(text)
        assertHolds(score >= -1 && score <= 1, () => `${score}`)
      })
    )).toBeUndefined()
    expect(meanSentiment([0.5, -0.5, 0.3])).toBeCloseTo(0.1, 12)
    expect(() => meanSentiment([NaN])).toThrow(RangeError)
  })
})
