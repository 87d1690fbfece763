import type { ReactNode } from "react"
import { useNumbers } from "../i18n/numbers.ts"
import { Chips } from "./Chips.tsx"
import lists from "./lists.module.css"

export type LiveOrPast = "live" | "past"

/** A choice between the live and the past items of a list, each with its count. */
export const LiveOrPastBar = ({ selected, children, label, live, onChange, past }: {
  readonly label: string
  readonly selected: LiveOrPast
  readonly onChange: (which: LiveOrPast) => void
  readonly live: { readonly name: string; readonly count: number }
  readonly past: { readonly name: string; readonly count: number }
  /** The content at the end of the bar. */
  readonly children?: ReactNode
}) => {
  const { integer } = useNumbers()
  return (
    <div className={lists["bar"]}>
      <Chips
        label={label}
        selected={selected}
        onChange={onChange}
        options={[
          { value: "live", label: `${live.name} ${integer(live.count)}` },
          { value: "past", label: `${past.name} ${integer(past.count)}` }
        ]}
      />
      {children}
    </div>
  )
}
