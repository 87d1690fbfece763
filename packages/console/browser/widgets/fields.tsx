import { Check, ChevronDown, Search, X } from "lucide-react"
import type { ReactNode } from "react"
import {
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SearchField,
  Select,
  SelectValue,
  Switch,
  Text,
  TextArea,
  TextField
} from "react-aria-components"
import styles from "./fields.module.css"

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly fault?: string | undefined
  readonly isRequired?: boolean | undefined
  readonly name?: string | undefined
}

const FieldHeader = (
  { isRequired, label, type }: { readonly label: string; readonly isRequired: boolean; readonly type?: ReactNode }
) => (
  <span className="row baseline spread gap-3">
    <Label className="medium">
      {label}
      {isRequired && <span className={styles["required"]} aria-hidden>*</span>}
    </Label>
    {type !== undefined && <span className="faint small">{type}</span>}
  </span>
)

const FieldFooter = ({ fault, hint }: Pick<FieldProps, "hint" | "fault">) => (
  <>
    {hint !== undefined && fault === undefined && <Text slot="description" className={styles["hint"]}>{hint}</Text>}
    <FieldError className="bad small">{fault}</FieldError>
  </>
)

export interface TextInputProps extends FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string | undefined
  readonly lines?: number | undefined
  readonly isCode?: boolean | undefined
  /** Whether the field shows dots and the browser stores no value, for keys and other secrets. */
  readonly isSecret?: boolean | undefined
  readonly keyboard?: "text" | "decimal" | "numeric" | undefined
  readonly type?: ReactNode
}

export const TextInput = (props: TextInputProps) => {
  const { fault, hint, isCode = false, isRequired = false, isSecret = false, keyboard = "text" } = props
  const { label, lines = 1, name, onChange, placeholder = "", type, value } = props
  const inputClass = `${styles["input"]} ${isCode ? styles["code"] : ""}`
  return (
    <TextField
      className="column gap-1"
      value={value}
      onChange={onChange}
      isRequired={isRequired}
      isInvalid={fault !== undefined}
      validationBehavior="aria"
      type={isSecret ? "password" : "text"}
      inputMode={keyboard}
      autoComplete="off"
      {...(name === undefined ? {} : { name })}
    >
      <FieldHeader label={label} isRequired={isRequired} type={type} />
      {lines > 1
        ? <TextArea className={inputClass} rows={lines} placeholder={placeholder} spellCheck={!isCode} />
        : <Input className={inputClass} placeholder={placeholder} spellCheck={false} />}
      <FieldFooter hint={hint} fault={fault} />
    </TextField>
  )
}

interface PickerProps extends FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

const PickerInput = ({ fault, hint, isRequired = false, label, min, onChange, type, value }: PickerProps & {
  readonly type: "date" | "time"
  readonly min?: string | undefined
}) => (
  <TextField
    className="column gap-1"
    value={value}
    onChange={onChange}
    isRequired={isRequired}
    isInvalid={fault !== undefined}
    validationBehavior="aria"
    type={type}
  >
    <FieldHeader label={label} isRequired={isRequired} />
    <Input className={styles["input"]!} {...(min === undefined ? {} : { min })} />
    <FieldFooter hint={hint} fault={fault} />
  </TextField>
)

/** An input field for a day as YYYY-MM-DD, with the browser's calendar, or an empty text if no day is chosen. */
export const DayInput = (
  props: PickerProps & {
    readonly min?: string | undefined
  }
) => <PickerInput {...props} type="date" />

/** An input field for a time of day as HH:MM, or an empty text if no time is chosen. */
export const TimeInput = (props: PickerProps) => <PickerInput {...props} type="time" />

export interface SelectOption {
  readonly value: string
  readonly label: string
}

export const SelectInput = ({ fault, hint, isRequired = false, label, onChange, options, type, value }: FieldProps & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: ReadonlyArray<SelectOption>
  readonly type?: ReactNode
}) => (
  <Select
    className="column gap-1"
    value={value}
    onChange={(key) => onChange(String(key))}
    isInvalid={fault !== undefined}
    validationBehavior="aria"
  >
    <FieldHeader label={label} isRequired={isRequired} type={type} />
    <Button className={`${styles["input"]} ${styles["select"]}`}>
      <SelectValue />
      <ChevronDown aria-hidden />
    </Button>
    <FieldFooter hint={hint} fault={fault} />
    <Popover className={`popover ${styles["popover"]}`}>
      <ListBox className={styles["list"]!} items={options.map((option) => ({ ...option, id: option.value }))}>
        {(option) => (
          <ListBoxItem className={styles["option"]!} textValue={option.label}>
            {({ isSelected }) => (
              <>
                <span>{option.label}</span>
                {isSelected && <Check aria-hidden size={14} className="tape" />}
              </>
            )}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  </Select>
)

export const Toggle = ({ children, isOn, onChange }: {
  readonly children: ReactNode
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}) => (
  <Switch className={styles["toggle"]!} isSelected={isOn} onChange={onChange}>
    <span className={styles["track"]} aria-hidden>
      <span className={styles["knob"]} />
    </span>
    <span>{children}</span>
  </Switch>
)

export const SearchInput = ({ label, onChange, value }: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}) => (
  <SearchField className={styles["search"]!} aria-label={label} value={value} onChange={onChange}>
    <Search aria-hidden className={styles["glass"]} />
    <Input className={`${styles["input"]} ${styles["searched"]}`} placeholder={label} spellCheck={false} />
    <Button className={`icon-button ${styles["clear"]}`}>
      <X aria-hidden size={13} />
    </Button>
  </SearchField>
)
