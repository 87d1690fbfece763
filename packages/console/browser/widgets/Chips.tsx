import { ToggleButton, ToggleButtonGroup } from "react-aria-components"
import styles from "./Chips.module.css"

/** A row of toggle buttons that selects exactly one option, and scrolls horizontally on a narrow screen. */
export const Chips = <Value extends string>({ selected, label, onChange, options }: {
  readonly label: string
  readonly selected: Value
  readonly options: ReadonlyArray<{ readonly value: Value; readonly label: string }>
  readonly onChange: (value: Value) => void
}) => (
  <ToggleButtonGroup
    aria-label={label}
    className={styles["chips"]!}
    selectionMode="single"
    disallowEmptySelection
    selectedKeys={[selected]}
    onSelectionChange={(keys) => {
      const found = options.find(({ value }) => keys.has(value))
      if (found !== undefined) onChange(found.value)
    }}
  >
    {options.map(({ label, value }) => (
      <ToggleButton key={value} id={value} className={styles["chip"]!}>{label}</ToggleButton>
    ))}
  </ToggleButtonGroup>
)
