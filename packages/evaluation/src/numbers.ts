/** A number in a text, with all possible readings and their rounding tolerances. */
export interface Stated {
  readonly text: string
  /** Whether the text states a bound, such as `<0.1%` for a probability near zero. */
  readonly bound: boolean
  readonly readings: ReadonlyArray<{ readonly value: number; readonly tolerance: number }>
}

const scales: ReadonlyArray<readonly [RegExp, number]> = [
  [/^\s?(?:trillion|trn|tn|T(?![a-zA-Z])|조(?!건|정|금)|трлн)/u, 1e12],
  [/^\s?(?:billion|bn|B(?![a-zA-Z])|млрд)/u, 1e9],
  [/^\s?억/u, 1e8],
  [/^\s?(?:million|mln|M(?![a-zA-Z])|백만|млн)/u, 1e6],
  [/^\s?만(?!기|큼|약|에)/u, 1e4],
  [/^\s?(?:thousand|[kK](?![a-zA-Z])|천|тыс)/u, 1e3]
]

const number = /(?<![\p{L}\d])[-−–]?\$?(?:\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?!\d)|\d+)(?:[.,]\d+)?/gu

const readingsOf = (digits: string, scale: number) => {
  const bare = digits.replace(/[-−–$]/g, "")
  const forms = new Set<string>()
  // With commas or spaces between groups, and a decimal point.
  forms.add(bare.replace(/[, \u00a0\u202f]/g, ""))
  // With a decimal comma.
  forms.add(bare.replace(/[ \u00a0\u202f]/g, "").replace(",", "."))
  return [...forms].filter((form) => /^\d+(?:\.\d+)?$/.test(form)).map((form) => {
    const decimals = form.split(".")[1]?.length ?? 0
    return { value: Number(form) * scale, tolerance: 0.500_001 * 10 ** -decimals * scale }
  })
}

/** Returns the numbers of a text without their signs, in the notation of any of the three languages. */
export const numbersOf = (text: string): ReadonlyArray<Stated> =>
  Array.from(text.matchAll(number), ({ 0: digits, index }) => {
    const rest = text.slice(index + digits.length)
    const scale = scales.find(([pattern]) => pattern.test(rest))?.[1] ?? 1
    return { text: digits, bound: /[<>]$/.test(text.slice(0, index)), readings: readingsOf(digits, scale) }
  })

/** How many halves of its last digit a bound may differ from the value, because 0 is written as `<0.1%`. */
const boundSteps = 2

/** A fraction can also be stated in percent. */
const forms = (value: number): ReadonlyArray<number> => [Math.abs(value), Math.abs(value) * 100]

/** Whether a stated number equals a value after rounding. */
export const isRounded = ({ bound, readings }: Stated, value: number): boolean =>
  readings.some((reading) =>
    forms(value).some((form) =>
      Math.abs(form - reading.value) <= reading.tolerance * (bound ? boundSteps : 1) + 1e-9 * Math.abs(form)
    )
  )

/** Whether a text quotes a value, with rounding of up to about half a percent. */
export const quotes = (stated: ReadonlyArray<Stated>, value: number): boolean =>
  stated.some((one) =>
    isRounded(one, value) &&
    one.readings.some((reading) =>
      forms(value).some((form) => Math.abs(form - reading.value) <= Math.max(0.005 * form, one.bound ? 0.101 : 0.06))
    )
  )
