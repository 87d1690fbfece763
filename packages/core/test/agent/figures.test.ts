import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { shortenJson } from "../../src/agent/context/shorten.ts"
import { matchFigures } from "../../src/agent/figures/matchFigures.ts"
import type { Language } from "../../src/engine/messages/languageCode.ts"

const check = (text: string, data: unknown, lang: Language = "en", knownTexts: ReadonlyArray<string> = []) =>
  matchFigures({ text, lang, sources: [{ call: "1.1", data }], knownTexts })

const pathsOf = (text: string, data: unknown, lang: Language = "en") =>
  check(text, data, lang).figures.map(({ path, text }) => [text, path])

const market = {
  price: 66_979.69,
  change_24h_pct: -1.464,
  funding_rate_pct: 0.01642,
  volume_24h_usd: 45_554_123_000,
  market_cap_krw: 17_215_900_000_000,
  win_rate: 0.545455,
  spread_bps: 0.1224,
  rsi: 70.21,
  n: 270,
  ema: { "20": 64_954.2, "200": 55_771.4 }
}

describe("the figures of an answer", () => {
  it("match values that are rounded, scaled, in percent or in another notation", () => {
    const cases: ReadonlyArray<readonly [Language, text: string, figure: string, path: string]> = [
      ["en", "BTC is at $66,980 now.", "$66,980", "/price"],
      ["en", "BTC is at 66979.7 USD.", "66979.7 USD", "/price"],
      ["en", "BTC is at $67.0k.", "$67.0k", "/price"],
      ["en", "It fell 1.46% today.", "1.46%", "/change_24h_pct"],
      ["en", "It moved −1.5 percent.", "−1.5 percent", "/change_24h_pct"],
      ["en", "Funding is 1.64 bps.", "1.64 bps", "/funding_rate_pct"],
      ["en", "It traded $45.55B.", "$45.55B", "/volume_24h_usd"],
      ["en", "It traded 45.6 billion dollars.", "45.6 billion dollars", "/volume_24h_usd"],
      ["en", "54.5% were right.", "54.5%", "/win_rate"],
      ["en", "**54.5%** were right (`0.545`).", "54.5%", "/win_rate"],
      ["en", "RSI(14) is 70.2.", "70.2", "/rsi"],
      ["ko", "현재가는 66,980달러입니다.", "66,980달러", "/price"],
      ["ko", "현재가는 6.698만 달러입니다.", "6.698만 달러", "/price"],
      ["ko", "현재가는 6만 6,980달러입니다.", "6만 6,980달러", "/price"],
      ["ko", "시가총액은 17.22조 원입니다.", "17.22조 원", "/market_cap_krw"],
      ["ko", "시가총액은 17조 2,159억 원입니다.", "17조 2,159억 원", "/market_cap_krw"],
      ["ko", "거래대금은 455.5억 달러입니다.", "455.5억 달러", "/volume_24h_usd"],
      ["ru", "Цена 66 980 $.", "66 980 $", "/price"],
      ["ru", "Цена 66\u00a0979,7 долл.", "66\u00a0979,7 долл.", "/price"],
      ["ru", "Изменение -1,46%.", "-1,46%", "/change_24h_pct"],
      ["ru", "Объём 45,55 млрд долларов.", "45,55 млрд долларов", "/volume_24h_usd"]
    ]
    for (const [lang, text, figure, path] of cases) {
      const { figures, unmatched } = check(text, market, lang)
      assert.deepInclude(figures, { text: figure, offset: text.indexOf(figure), call: "1.1", path }, text)
      assert.deepStrictEqual(unmatched, [], text)
    }
  })

  it("reports numbers that no result supports, with their position", () => {
    for (const text of ["BTC is at $68,980.", "It rose 1.46%: +1.46%.", "It moved 14.6%.", "It costs $1.46."]) {
      const { unmatched } = check(text, market)
      assert.isAtLeast(unmatched.length, 1, text)
      for (const { offset, text: number } of unmatched) {
        assert.strictEqual(text.slice(offset, offset + number.length), number)
      }
    }
    assert.deepStrictEqual(check("It is worth $5,400.", {}), {
      figures: [],
      unmatched: [{ text: "$5,400", offset: 12 }]
    })
  })

  it("are no names, parameters, times, list numbers, code or common bounds", () => {
    const texts: ReadonlyArray<readonly [Language, string]> = [
      ["en", "EMA 20 / 50 / 200, the 50-day average, RSI(14) above 70, top 10, S&P 500, Q3, 1st, 24h, 4 hours, 30d."],
      ["en", "1. On 2026-11-20 15:33 UTC\n2. On Nov 27 at 9:30\n## 3. In 2026, score of ±100 from -100 to 100"],
      [
        "en",
        "Call `get_price {\"days\":37}` or see [chart](/v1/charts/12a45) and https://example.com/?a=77\n```\nx = 91\n```"
      ],
      ["en", "95% interval, 25-delta skew, <0.1%, a 1% move, samsung (005930), COVID-19, 1INCH, v3"],
      ["ko", "12월 9일 오후 3시, 24시간, 20일, 52주 범위, 상위 10개, 1위, 2~3거래일, 25델타, 2026년 3분기"],
      ["ru", "9 декабря, за 24 часа, 4 ч, 20 дн., 1-й, топ-10, 25-дельта, 2026 год, на 1д"]
    ]
    for (const [lang, text] of texts) {
      assert.deepStrictEqual(check(text, { ema: { "20": 1, "50": 2 } }, lang), { figures: [], unmatched: [] }, text)
    }
  })

  it("may repeat numbers that the user or the arguments of a call state", () => {
    const text = "With 12,500 dollars and a stop at 61,300"
    assert.lengthOf(check(text, {}).unmatched, 2)
    assert.deepStrictEqual(check(text, {}, "en", ["I have $12.5k", "{\"stop\":61300}"]).unmatched, [])
  })

  it("may be the difference of two numbers of the same line, absolute or in percent", () => {
    const data = { support: { price: 66_192.4 }, resistance: { price: 67_685.1 }, iv_pct: 48.91, realised_pct: 43.25 }
    const text = "Support $66,192, resistance $67,685: $1,493 or 2.26% apart.\nIV 48.91% less RV 43.25% is 5.66%."
    const { figures, unmatched } = check(text, data)
    assert.deepStrictEqual(unmatched, [])
    const differences = figures.filter(({ minus }) => minus !== undefined)
    assert.deepStrictEqual(differences.map(({ minus, path, text }) => [text, path, minus?.path]), [
      ["$1,493", "/support/price", "/resistance/price"],
      ["2.26%", "/resistance/price", "/support/price"],
      ["5.66%", "/iv_pct", "/realised_pct"]
    ])
    assert.lengthOf(check("Support $66,192, resistance $67,685.\n\nThey are $1,493 apart.", data).unmatched, 1)
  })

  it("point into the whole result if the result was shortened", () => {
    const points = Array.from({ length: 200 }, (_, i) => ({ time: `2026-11-20T${i}`, close: 50_000 + 37.31 * i }))
    const data: unknown = JSON.parse(shortenJson({ points }, 800))
    const text = `It closed at $${points[197]!.close.toFixed(2)}.`
    assert.deepStrictEqual(pathsOf(text, data).map(([, path]) => path), ["/points/197/close"])
    assert.deepStrictEqual(pathsOf("It has 200 points.", data), [["200", "/points"]])
  })

  it("prefer the item of a list that the text names, and quoted texts", () => {
    const coins = ["BTC", "ETH", "SOL", "XRP"].map((coin, i) => ({ coin, change_24h_pct: i < 2 ? 0.62 : 1.5 + i }))
    assert.deepStrictEqual(pathsOf("ETH +0.62%, BTC +0.62%", { coins }), [
      ["+0.62%", "/coins/1/change_24h_pct"],
      ["+0.62%", "/coins/0/change_24h_pct"]
    ])
    const articles = [{ title: "Spot bitcoin ETFs draw $620 million in a day" }]
    assert.deepStrictEqual(pathsOf("“Spot bitcoin ETFs draw $620 million in a day”", { articles }), [
      ["$620 million", "/articles/0/title"]
    ])
  })

  it("escape keys in paths, and ignore keys of excessive length", () => {
    assert.deepStrictEqual(pathsOf("$66,980", { "a/b~c": { price: 66_980 } }), [["$66,980", "/a~1b~0c/price"]])
    assert.lengthOf(check("$66,980", { ["x".repeat(400)]: 66_980 }).unmatched, 1)
  })

  it("are found in any text without an error, in order, and at their positions", () => {
    const fragments = fc.constantFrom(
      ..."1 12 1,234 0.5 -3 $ % 만 억 млн , . : / - – ` ``` | \n ( ) [ ]( https:// 1: 2026-11-20 EMA RSI \u0000 \ud83d"
        .split(" "),
      " ",
      "\n"
    )
    fc.assert(fc.property(
      fc.array(fragments, { maxLength: 60 }),
      fc.constantFrom<Language>("en", "ko", "ru"),
      fc.jsonValue(),
      (parts, lang, data) => {
        const text = parts.join("")
        const { figures, unmatched } = check(text, data, lang)
        for (const list of [figures, unmatched]) {
          list.forEach(({ offset, text: number }, i) => {
            assert.strictEqual(text.slice(offset, offset + number.length), number)
            if (i > 0) assert.isAbove(offset, list[i - 1]!.offset)
          })
        }
        assert.deepStrictEqual(check(text, data, lang), { figures, unmatched })
      }
    ))
  })

  it("need bounded time, whatever the text and the results contain", () => {
    const rows = Array.from(
      { length: 300 },
      (_, i) => ({ name: `row${i}`, price: i + 0.5, change_pct: i / 7, note: `x ${i}` })
    )
    const sources = Array.from({ length: 24 }, (_, i) => ({ call: `1.${i}`, data: { rows } }))
    const texts = ["9", "9 ", "`", "](", "1,", "1/", "… (1", "$1.5 ", "Jan 1", "- 1. ", "<", "EMA 2 / "].map((part) =>
      part.repeat(Math.ceil(100_000 / part.length))
    )
    const from = process.cpuUsage().user
    for (const text of texts) {
      const { figures, unmatched } = matchFigures({ text, lang: "ru", sources, knownTexts: [text] })
      assert.isAtMost(figures.length + unmatched.length, 500)
    }
    assert.isBelow((process.cpuUsage().user - from) / 1e6, 10)
  })
})
