import { Check } from "lucide-react"
import type { ReactNode } from "react"
import { Checkbox, CheckboxGroup, FieldError, Label } from "react-aria-components"
import styles from "./CheckboxGroups.module.css"

export interface CheckboxOption<Value extends string> {
  readonly value: Value
  readonly label: ReactNode
  readonly more?: ReactNode
  readonly isFixed?: boolean | undefined
}

export const CheckboxGroups = <Value extends string>({ selected, fault, groups, label, onChange }: {
  readonly label: string
  readonly selected: ReadonlyArray<Value>
  readonly groups: ReadonlyArray<{ readonly title: string; readonly options: ReadonlyArray<CheckboxOption<Value>> }>
  readonly onChange: (selected: ReadonlyArray<Value>) => void
  readonly fault?: string | undefined
}) => {
  const values = groups.flatMap(({ options }) => options.map(({ value }) => value))
  return (
    <CheckboxGroup
      className="column gap-1"
      value={[...selected]}
      onChange={(names) => onChange(values.filter((value) => names.includes(value)))}
      isInvalid={fault !== undefined}
      validationBehavior="aria"
    >
      <Label className="medium">{label}</Label>
      <div className={styles["groups"]}>
        {groups.map(({ options, title }) => (
          <div key={title} className={styles["group"]}>
            <span className="faint small">{title}</span>
            {options.map(({ isFixed = false, label, more, value }) => (
              <Checkbox key={value} value={value} isDisabled={isFixed} className={styles["tick"]!}>
                <span className={styles["box"]} aria-hidden>
                  <Check />
                </span>
                <span>
                  {label}
                  {more !== undefined && <span className={styles["more"]}>{more}</span>}
                </span>
              </Checkbox>
            ))}
          </div>
        ))}
      </div>
      <FieldError className="bad small">{fault}</FieldError>
    </CheckboxGroup>
  )
}
