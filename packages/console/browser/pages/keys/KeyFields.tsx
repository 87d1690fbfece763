import type { Scope } from "@tapeline/core/specifications"
import { useNow } from "../../i18n/clock.ts"
import { useTexts } from "../../i18n/texts.ts"
import { CheckboxGroups } from "../../widgets/CheckboxGroups.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { DayInput } from "../../widgets/fields.tsx"
import { keyDialogTexts } from "./dialogTexts.ts"
import { computeExpiry, type Expiry, type Lifetime, today } from "./expiry.ts"
import { isIncluded, minimalScopes, scopeGroups } from "./scopes.ts"
import { scopeTexts } from "./scopeTexts.ts"

export interface KeySettings {
  readonly scopes: ReadonlyArray<Scope>
  readonly lifetime: Lifetime
  readonly day: string
}

/** Checkboxes for the scopes of an API key. The user cannot change a scope that another selected scope includes. */
const ScopeCheckboxes = ({ fault, onChange, scopes }: {
  readonly scopes: ReadonlyArray<Scope>
  readonly onChange: (scopes: ReadonlyArray<Scope>) => void
  readonly fault: string | undefined
}) => {
  const texts = useTexts(keyDialogTexts)
  const meanings = useTexts(scopeTexts)
  const selected = scopeGroups.flatMap(({ scopes: all }) =>
    all.filter((one) => scopes.includes(one) || isIncluded(one, scopes))
  )
  return (
    <CheckboxGroups
      label={texts.scopes}
      selected={selected}
      onChange={(nextScopes) => {
        // Deselecting `read:market` also deselects the scopes that `read:market` includes.
        const removesMarket = scopes.includes("read:market") && !nextScopes.includes("read:market")
        onChange(minimalScopes(removesMarket ? nextScopes.filter((one) => !isIncluded(one, scopes)) : nextScopes))
      }}
      fault={fault}
      groups={scopeGroups.map(({ subject, scopes: all }) => ({
        title: texts[subject],
        options: all.map((value) => ({
          value,
          label: <code>{value}</code>,
          more: isIncluded(value, scopes) ? texts.included : meanings[value],
          isFixed: isIncluded(value, scopes)
        }))
      }))}
    />
  )
}

const ExpiryField = ({ onChange, settings, mode }: {
  readonly settings: KeySettings
  readonly onChange: (settings: KeySettings) => void
  readonly mode: "kept" | "new"
}) => {
  const texts = useTexts(keyDialogTexts)
  return (
    <div className="column gap-1">
      <span className="medium">{texts.expiry}</span>
      <Chips<Lifetime>
        label={texts.expiry}
        selected={settings.lifetime}
        onChange={(lifetime) => onChange({ ...settings, lifetime })}
        options={[
          ...(mode === "kept" ? [{ value: "kept", label: texts.unchanged } as const] : []),
          { value: "30", label: texts.month },
          { value: "90", label: texts.quarter },
          { value: "365", label: texts.year },
          { value: "never", label: texts.never },
          { value: "day", label: texts.onDay }
        ]}
      />
    </div>
  )
}

/**
 * The form fields for the scopes and the lifetime of a key. If `isSubmitted` is true, the form marks fields with
 * missing values.
 */
export const KeyFields = ({ isSubmitted, onChange, settings, mode }: {
  readonly settings: KeySettings
  readonly onChange: (settings: KeySettings) => void
  readonly mode: "kept" | "new"
  readonly isSubmitted: boolean
}) => {
  const texts = useTexts(keyDialogTexts)
  const now = useNow()
  const expiry = computeExpiry(settings.lifetime, settings.day, now)
  const fault = "at" in expiry ? undefined : expiry.fault === "past" ? texts.dayPast : texts.dayMissing
  return (
    <>
      <ScopeCheckboxes
        scopes={settings.scopes}
        onChange={(scopes) => onChange({ ...settings, scopes })}
        fault={isSubmitted && settings.scopes.length === 0 ? texts.scopesMissing : undefined}
      />
      <ExpiryField settings={settings} onChange={onChange} mode={mode} />
      {settings.lifetime === "day" && (
        <DayInput
          label={texts.day}
          value={settings.day}
          onChange={(day) => onChange({ ...settings, day })}
          min={today(now)}
          hint={texts.dayHint}
          fault={isSubmitted ? fault : undefined}
        />
      )}
    </>
  )
}

/** Returns the expiry that the user has chosen for a key; undefined if a value is missing or invalid. */
export const chosenExpiry = (settings: KeySettings): Extract<Expiry, { readonly at: unknown }> | undefined => {
  const expiry = computeExpiry(settings.lifetime, settings.day, Date.now())
  return settings.scopes.length > 0 && "at" in expiry ? expiry : undefined
}
