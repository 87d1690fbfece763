import { assert, it } from "@effect/vitest"
import { matchFigures } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import * as fc from "fast-check"
import { type Format, formatOf } from "../src/analyst/writing/format.ts"

/** The formatters of numbers, with a field that they format. */
const formatters: ReadonlyArray<
  readonly [field: string, fc.Arbitrary<number>, (format: Format, value: number) => string | null]
> = (() => {
  const price = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
  const sum = fc.double({ min: 1_000, max: 9e14, noNaN: true })
  const percent = fc.double({ min: 0.01, max: 900, noNaN: true })
  const fraction = fc.double({ min: 0.001, max: 0.999, noNaN: true })
  const signed = (values: fc.Arbitrary<number>) =>
    fc.tuple(values, fc.boolean()).map(([value, isNegative]) => isNegative ? -value : value)
  return [
    ["price", price, (format, value) => format.usd(value)],
    ["price_krw", price, (format, value) => format.krw(value)],
    ["value", signed(price), (format, value) => format.number(value)],
    ["value", signed(price), (format, value) => format.signed(value)],
    ["value", signed(price), (format, value) => format.plain(value)],
    ["volume_usd", sum, (format, value) => format.bigUsd(value)],
    ["volume_krw", signed(sum), (format, value) => format.bigKrw(value)],
    ["supply", sum, (format, value) => format.big(value)],
    ["pnl_usd", signed(sum), (format, value) => format.gainUsd(value)],
    ["change_pct", signed(percent), (format, value) => format.change(value)],
    ["change_pct", signed(percent), (format, value) => format.percent(value)],
    ["rate_pct", signed(percent), (format, value) => format.rate(value)],
    ["win_rate", fraction, (format, value) => format.share(value)],
    ["return", signed(fraction), (format, value) => format.gain(value)],
    ["ratio", signed(percent), (format, value) => format.fixed(value, 2)],
    ["ratio", signed(percent), (format, value) => format.signed2(value)]
  ]
})()

const sentences: Readonly<Record<Language, (number: string) => string>> = {
  en: (number) => `It stands at ${number}, so far.`,
  ko: (number) => `현재 값은 ${number}입니다.`,
  ru: (number) => `Сейчас значение ${number}, не больше.`
}

it("formats numbers so that each is matched to its value, in three languages", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...formatters).chain(([field, values, write]) => fc.tuple(fc.constant({ field, write }), values)),
      fc.constantFrom<Language>("en", "ko", "ru"),
      ([{ field, write }, value], lang) => {
        const number = write(formatOf(lang), value)!
        // A rounded 0 or 100 is a common bound, and four digits can be a year.
        fc.pre(Number(number.replaceAll(/\D/g, "")) !== 0 && !/^[+-]?(?:100|(?:19|20)\d\d)$/.test(number))
        const text = sentences[lang](number)
        const data = { coin: "BTC", nested: { [field]: value }, other: Math.abs(value) * 1_000 + 1e7 }
        const { figures, unmatched } = matchFigures({
          text,
          lang,
          sources: [{ call: "2.1", data }],
          knownTexts: []
        })
        assert.deepStrictEqual(unmatched, [], `${text} ${value}`)
        assert.deepStrictEqual(figures.map(({ call, path }) => [call, path]), [["2.1", `/nested/${field}`]], text)
        assert.strictEqual(figures[0]?.text.replaceAll(/\s/g, ""), number.replaceAll(/\s/g, ""), text)
      }
    ),
    { numRuns: 2_000 }
  )
})
