import type { ReactNode } from "react"
import { useNumbers } from "../i18n/numbers.ts"
import { Chips } from "./Chips.tsx"
import lists from "./lists.module.css"

export type LiveOrPast = "live" | "past"

/** A row of toggle buttons for the live or the past items of a list, with the number of items of each kind. */
export const LiveOrPastBar = ({ selected, children, label, live, onChange, past }: {
  readonly label: string
  readonly selected: LiveOrPast
  readonly onChange: (which: LiveOrPast) => void
  readonly live: { readonly name: string; readonly count: number }
  readonly past: { readonly name: string; readonly count: number }
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
