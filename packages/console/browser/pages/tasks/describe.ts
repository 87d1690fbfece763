import { useMemo } from "react"
import { useFormats } from "../../words/formats.ts"
import { useLanguage } from "../../words/Languages.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import type { Spec, Task } from "./asks.ts"
import { newTask, offsetName, type TypedTask } from "./typedTask.ts"
import { taskWords } from "./words.ts"

/** Describes tasks in words. */
export interface Describe {
  /** The condition or the times of a task: BTC price crosses above 120,000. */
  readonly spec: (spec: Spec) => string
  /** The last value that a watch has seen: a price, a score, or percent. */
  readonly value: (task: Task) => string | undefined
  /** The same description for the fields of a form; empty if a needed field is empty. */
  readonly typed: (typed: TypedTask) => string
}

/** The maximum length of a task's name. */
const longest = 120

export const useDescribe = (): Describe => {
  const says = useWords(taskWords)
  const { language } = useLanguage()
  const { figure, whole } = useNumbers()
  const { percent, plain } = useFormats()
  return useMemo(() => {
    const every = (minutes: number): string =>
      minutes % 1440 === 0
        ? says.everyDays(minutes / 1440)
        : minutes % 60 === 0
        ? says.everyHours(minutes / 60)
        : says.everyMinutes(minutes)
    const spec = (one: Spec): string => {
      if ("every_min" in one) return every(one.every_min)
      if ("at" in one) return says.dailyAt(one.at, offsetName(one.tz_offset_hours))
      if (one.metric === "vwap_cross") {
        return one.dir === "above"
          ? says.vwapAbove(one.symbol)
          : says.vwapBelow(one.symbol)
      }
      if (one.metric === "gap") return says.gap(one.symbol === "*" ? says.everyCoin : one.symbol, percent(one.value, 1))
      return one.metric === "price"
        ? says.price(one.symbol, says[one.op], figure(one.value))
        : says.score(one.symbol, says[one.op], whole(one.value))
    }
    return {
      spec,
      value: ({ spec: one, watch }) => {
        const value = watch?.last_value ?? null
        if (value === null || !("metric" in one)) return undefined
        return one.metric === "gap" ? percent(value) : one.metric === "score" ? plain(value, 0) : figure(value)
      },
      typed: (typed) => {
        const { args: { prompt = "", spec: given }, faults } = newTask(typed, language, "x")
        if (Object.keys(faults).length > 0) return ""
        if (typed.kind === "schedule") return prompt.split("\n")[0]!.slice(0, longest)
        const { dir = "above", metric, op = "gt", symbol = "", value = 0 } = given
        const market = "coin"
        const ticker = symbol.toUpperCase()
        const whole: Spec = metric === "vwap_cross"
          ? { metric, market, symbol: ticker, dir }
          : metric === "gap"
          ? { metric, market, symbol: ticker, value }
          : { metric: metric === "score" ? "score" : "price", market, symbol: ticker, op, value }
        return spec(whole).slice(0, longest)
      }
    }
  }, [says, language, figure, whole, percent, plain])
}
