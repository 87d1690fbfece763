import { useTexts } from "../../i18n/texts.ts"
import { SelectInput, TextInput } from "../../widgets/fields.tsx"
import type { Fault, Field } from "./schema.ts"
import { toolTexts } from "./texts.ts"

interface ArgumentFieldProps {
  readonly field: Field
  readonly value: string
  readonly fault: string | undefined
  readonly onChange: (value: string) => void
}

const valueText = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.map(valueText).join(", ") : JSON.stringify(value)

const isInstantField = ({ name }: Field): boolean => name === "at"

const Hint = ({ description, detail }: { readonly description: string | undefined; readonly detail: string }) => (
  <>
    {description !== undefined && <span lang="en">{description}</span>}
    {description !== undefined && detail !== "" && ". "}
    {detail}
  </>
)

/** The form field for an argument of a tool, chosen by the argument's JSON Schema. */
export const ArgumentField = ({ fault, field, onChange, value }: ArgumentFieldProps) => {
  const texts = useTexts(toolTexts)
  const { bounds, description, isRequired, kind, name, defaultValue } = field
  const faults: Readonly<Record<Fault, string>> = {
    missing: texts.missing,
    "no number": texts.noNumber,
    "no whole number": texts.noWhole,
    "no json": texts.noJson
  }
  const faultText = Object.entries(faults).find(([one]) => one === fault)?.[1] ?? fault
  const hints = [
    kind.type === "list" ? kind.options?.join(", ") ?? texts.listHint : undefined,
    isInstantField(field) ? texts.instantHint : undefined
  ].filter((hint) => hint !== undefined)
  const inputProps = {
    label: name,
    value,
    onChange,
    isRequired,
    fault: faultText,
    type: bounds ?? (isRequired ? undefined : texts.optional),
    ...(hints.length === 0 && description === undefined
      ? {}
      : { hint: <Hint description={description} detail={hints.join(". ")} /> })
  }
  const defaultText = defaultValue === undefined || defaultValue === null
    ? undefined
    : texts.defaultValue(valueText(defaultValue))
  if (kind.type === "choice" || kind.type === "flag") {
    const options = kind.type === "flag"
      ? [{ value: "true", label: texts.yes }, { value: "false", label: texts.no }]
      : kind.options.map((option) => ({ value: String(option), label: String(option) }))
    const emptyOption = isRequired ? [] : [{ value: "", label: defaultText ?? texts.notSet }]
    return <SelectInput {...inputProps} options={[...emptyOption, ...options]} />
  }
  const isLong = kind.type === "json" || kind.type === "long text"
  return (
    <TextInput
      {...inputProps}
      lines={isLong ? 7 : 1}
      isCode
      keyboard={kind.type === "number" ? "decimal" : "text"}
      placeholder={defaultText ??
        (isInstantField(field) ? texts.instantExample : kind.type === "json" ? kind.sample : undefined)}
    />
  )
}
