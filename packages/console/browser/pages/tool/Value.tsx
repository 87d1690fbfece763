import type { Numbers } from "../../i18n/numbers.ts"
import { isInstant } from "./resultShape.ts"

/**
 * Shows a value in the format that the field's name implies, such as signed percentages for changes, and instants in
 * local time.
 */
export const Value = ({ name, numbers, value }: {
  readonly name: string
  readonly value: unknown
  readonly numbers: Numbers
}) => {
  const last = name.split(".").at(-1) ?? name
  if (value === null || value === undefined) return <span className="faint">–</span>
  if (typeof value === "boolean") return <code>{String(value)}</code>
  if (typeof value === "number") {
    if (!last.endsWith("_pct")) return numbers.figure(value)
    const look = /change|distance|pnl|return|premium/.test(last)
      ? value > 0 ? "up" : value < 0 ? "down" : ""
      : ""
    return <span className={look}>{look === "" ? `${numbers.figure(value)}%` : numbers.percentChange(value)}</span>
  }
  if (isInstant(value)) {
    return <time dateTime={value} title={value}>{value.length === 10 ? value : numbers.time(value)}</time>
  }
  return typeof value === "string" ? value : <code>{JSON.stringify(value)}</code>
}
