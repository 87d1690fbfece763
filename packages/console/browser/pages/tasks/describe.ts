import { useMemo } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import type { Spec, Task } from "./queries.ts"
import { formatOffset, parseNewTask, type TaskDraft } from "./taskDraft.ts"
import { taskTexts } from "./texts.ts"

export interface TaskDescriber {
  /** Describes the condition or the schedule of a task, such as "BTC price crosses above 120,000". */
  readonly spec: (spec: Spec) => string
  /** Formats the last value that a watch task has observed: a price, a score, or percent. */
  readonly value: (task: Task) => string | undefined
  /** Describes the condition or schedule in a task form, or returns an empty text if a required field is empty. */
  readonly draft: (draft: TaskDraft) => string
}

const maxTitleLength = 120

export const useTaskDescriber = (): TaskDescriber => {
  const texts = useTexts(taskTexts)
  const { language } = useLanguage()
  const { figure, integer } = useNumbers()
  const { percent, decimal } = useFormats()
  return useMemo(() => {
    const everyText = (minutes: number): string =>
      minutes % 1440 === 0
        ? texts.everyDays(minutes / 1440)
        : minutes % 60 === 0
        ? texts.everyHours(minutes / 60)
        : texts.everyMinutes(minutes)
    const spec = (taskSpec: Spec): string => {
      if ("every_min" in taskSpec) return everyText(taskSpec.every_min)
      if ("at" in taskSpec) return texts.dailyAt(taskSpec.at, formatOffset(taskSpec.tz_offset_hours))
      if (taskSpec.metric === "vwap_cross") {
        return taskSpec.dir === "above"
          ? texts.vwapAbove(taskSpec.symbol)
          : texts.vwapBelow(taskSpec.symbol)
      }
      if (taskSpec.metric === "gap") {
        return texts.gap(taskSpec.symbol === "*" ? texts.everyCoin : taskSpec.symbol, percent(taskSpec.value, 1))
      }
      return taskSpec.metric === "price"
        ? texts.price(taskSpec.symbol, texts[taskSpec.op], figure(taskSpec.value))
        : texts.score(taskSpec.symbol, texts[taskSpec.op], integer(taskSpec.value))
    }
    return {
      spec,
      value: ({ spec: taskSpec, watch }) => {
        const value = watch?.last_value ?? null
        if (value === null || !("metric" in taskSpec)) return undefined
        return taskSpec.metric === "gap"
          ? percent(value)
          : taskSpec.metric === "score"
          ? decimal(value, 0)
          : figure(value)
      },
      draft: (draft) => {
        const { args: { prompt = "", spec: partialSpec }, faults } = parseNewTask(draft, language, "x")
        if (Object.keys(faults).length > 0) return ""
        if (draft.kind === "schedule") return prompt.split("\n")[0]!.slice(0, maxTitleLength)
        const { dir = "above", metric, op = "gt", symbol = "", value = 0 } = partialSpec
        const market = "coin"
        const ticker = symbol.toUpperCase()
        const completeSpec: Spec = metric === "vwap_cross"
          ? { metric, market, symbol: ticker, dir }
          : metric === "gap"
          ? { metric, market, symbol: ticker, value }
          : { metric: metric === "score" ? "score" : "price", market, symbol: ticker, op, value }
        return spec(completeSpec).slice(0, maxTitleLength)
      }
    }
  }, [texts, language, figure, integer, percent, decimal])
}
