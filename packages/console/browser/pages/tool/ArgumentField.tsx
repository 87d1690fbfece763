import { Choice, TextInput } from "../../widgets/fields.tsx"
import { useWords } from "../../words/words.ts"
import type { Fault, Field } from "./schema.ts"
import { toolWords } from "./words.ts"

interface Props {
  readonly field: Field
  readonly value: string
  readonly fault: string | undefined
  readonly onChange: (value: string) => void
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.map(textOf).join(", ") : JSON.stringify(value)

const isInstantField = ({ name }: Field): boolean => name === "at"

/** The catalogue's English description of an argument, and the page's additions. */
const Hint = ({ description, more }: { readonly description: string | undefined; readonly more: string }) => (
  <>
    {description !== undefined && <span lang="en">{description}</span>}
    {description !== undefined && more !== "" && ". "}
    {more}
  </>
)

/** A field for an argument, according to its schema. */
export const ArgumentField = ({ fault, field, onChange, value }: Props) => {
  const says = useWords(toolWords)
  const { bounds, description, isRequired, kind, name, standard } = field
  const faults: Readonly<Record<Fault, string>> = {
    missing: says.missing,
    "no number": says.noNumber,
    "no whole number": says.noWhole,
    "no json": says.noJson
  }
  const told = Object.entries(faults).find(([one]) => one === fault)?.[1] ?? fault
  const hints = [
    kind.is === "list" ? kind.options?.join(", ") ?? says.listHint : undefined,
    isInstantField(field) ? says.instantHint : undefined
  ].filter((hint) => hint !== undefined)
  const common = {
    label: name,
    value,
    onChange,
    isRequired,
    fault: told,
    type: bounds ?? (isRequired ? undefined : says.optional),
    ...(hints.length === 0 && description === undefined
      ? {}
      : { hint: <Hint description={description} more={hints.join(". ")} /> })
  }
  const standing = standard === undefined || standard === null ? undefined : says.standard(textOf(standard))
  if (kind.is === "choice" || kind.is === "flag") {
    const options = kind.is === "flag"
      ? [{ value: "true", label: says.yes }, { value: "false", label: says.no }]
      : kind.options.map((option) => ({ value: String(option), label: String(option) }))
    const none = isRequired ? [] : [{ value: "", label: standing ?? says.notSet }]
    return <Choice {...common} options={[...none, ...options]} />
  }
  const isLong = kind.is === "json" || kind.is === "long text"
  return (
    <TextInput
      {...common}
      lines={isLong ? 7 : 1}
      isCode
      keyboard={kind.is === "number" ? "decimal" : "text"}
      placeholder={standing ??
        (isInstantField(field) ? says.instantExample : kind.is === "json" ? kind.sample : undefined)}
    />
  )
}
