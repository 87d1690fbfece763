import type { Scope } from "@tapeline/core/specifications"
import { Chips } from "../../widgets/Chips.tsx"
import { DayInput } from "../../widgets/fields.tsx"
import { Ticks } from "../../widgets/Ticks.tsx"
import { useNow } from "../../words/useNow.ts"
import { useWords } from "../../words/words.ts"
import { keyDialogWords } from "./dialogWords.ts"
import { type Expiry, expiryOf, type Lifetime, today } from "./expiry.ts"
import styles from "./KeysPage.module.css"
import { isWithin, needed, scopeGroups } from "./scopes.ts"
import { scopeWords } from "./scopeWords.ts"

/** The chosen properties of a key. */
export interface Terms {
  readonly scopes: ReadonlyArray<Scope>
  readonly lifetime: Lifetime
  readonly day: string
}

/** The scopes of a key, by subject. A scope that another chosen scope includes cannot be chosen too. */
const ScopeTicks = ({ fault, onChange, scopes }: {
  readonly scopes: ReadonlyArray<Scope>
  readonly onChange: (scopes: ReadonlyArray<Scope>) => void
  readonly fault: string | undefined
}) => {
  const says = useWords(keyDialogWords)
  const meanings = useWords(scopeWords)
  const shown = scopeGroups.flatMap(({ scopes: all }) =>
    all.filter((one) => scopes.includes(one) || isWithin(one, scopes))
  )
  return (
    <Ticks
      label={says.scopes}
      chosen={shown}
      onChange={(next) => {
        // Removing the scope of the whole market also removes the scopes that it includes.
        const left = scopes.includes("read:market") && !next.includes("read:market")
        onChange(needed(left ? next.filter((one) => !isWithin(one, scopes)) : next))
      }}
      fault={fault}
      groups={scopeGroups.map(({ about, scopes: all }) => ({
        title: says[about],
        ticks: all.map((value) => ({
          value,
          label: <code>{value}</code>,
          more: isWithin(value, scopes) ? says.included : meanings[value],
          isFixed: isWithin(value, scopes)
        }))
      }))}
    />
  )
}

const Expires = ({ onChange, terms, with: kept }: {
  readonly terms: Terms
  readonly onChange: (terms: Terms) => void
  readonly with: "kept" | "new"
}) => {
  const says = useWords(keyDialogWords)
  return (
    <div className={styles["expiry"]}>
      <span className={styles["label"]}>{says.expiry}</span>
      <Chips<Lifetime>
        label={says.expiry}
        chosen={terms.lifetime}
        onChange={(lifetime) => onChange({ ...terms, lifetime })}
        options={[
          ...(kept === "kept" ? [{ value: "kept", label: says.kept } as const] : []),
          { value: "30", label: says.month },
          { value: "90", label: says.quarter },
          { value: "365", label: says.year },
          { value: "never", label: says.never },
          { value: "day", label: says.onDay }
        ]}
      />
    </div>
  )
}

/** The scopes and lifetime of a key. With `isTried`, missing fields are marked. */
export const KeyFields = ({ isTried, onChange, terms, with: kept }: {
  readonly terms: Terms
  readonly onChange: (terms: Terms) => void
  readonly with: "kept" | "new"
  readonly isTried: boolean
}) => {
  const says = useWords(keyDialogWords)
  const now = useNow()
  const expiry = expiryOf(terms.lifetime, terms.day, now)
  const fault = "at" in expiry ? undefined : expiry.fault === "past" ? says.dayPast : says.dayMissing
  return (
    <>
      <ScopeTicks
        scopes={terms.scopes}
        onChange={(scopes) => onChange({ ...terms, scopes })}
        fault={isTried && terms.scopes.length === 0 ? says.scopesMissing : undefined}
      />
      <Expires terms={terms} onChange={onChange} with={kept} />
      {terms.lifetime === "day" && (
        <DayInput
          label={says.day}
          value={terms.day}
          onChange={(day) => onChange({ ...terms, day })}
          min={today(now)}
          hint={says.dayHint}
          fault={isTried ? fault : undefined}
        />
      )}
    </>
  )
}

/** The expiry of a key with these terms; undefined if something is missing. */
export const settled = (terms: Terms): Extract<Expiry, { readonly at: unknown }> | undefined => {
  const expiry = expiryOf(terms.lifetime, terms.day, Date.now())
  return terms.scopes.length > 0 && "at" in expiry ? expiry : undefined
}
