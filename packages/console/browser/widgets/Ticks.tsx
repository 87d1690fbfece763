import { Check } from "lucide-react"
import type { ReactNode } from "react"
import { Checkbox, CheckboxGroup, FieldError, Label } from "react-aria-components"
import styles from "./Ticks.module.css"

export interface Tick<Value extends string> {
  readonly value: Value
  readonly label: ReactNode
  /** An explanation, shown below the label. */
  readonly more?: ReactNode
  /** True if the box cannot be changed. */
  readonly isFixed?: boolean | undefined
}

/** Groups of checkboxes with explanations. */
export const Ticks = <Value extends string>({ chosen, fault, groups, label, onChange }: {
  readonly label: string
  readonly chosen: ReadonlyArray<Value>
  readonly groups: ReadonlyArray<{ readonly title: string; readonly ticks: ReadonlyArray<Tick<Value>> }>
  readonly onChange: (chosen: ReadonlyArray<Value>) => void
  readonly fault?: string | undefined
}) => {
  const values = groups.flatMap(({ ticks }) => ticks.map(({ value }) => value))
  return (
    <CheckboxGroup
      className={styles["ticks"]!}
      value={[...chosen]}
      onChange={(names) => onChange(values.filter((value) => names.includes(value)))}
      isInvalid={fault !== undefined}
      validationBehavior="aria"
    >
      <Label className={styles["label"]}>{label}</Label>
      <div className={styles["groups"]}>
        {groups.map(({ ticks, title }) => (
          <div key={title} className={styles["group"]}>
            <span className={styles["title"]}>{title}</span>
            {ticks.map(({ isFixed = false, label, more, value }) => (
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
      <FieldError className={styles["fault"]!}>{fault}</FieldError>
    </CheckboxGroup>
  )
}
