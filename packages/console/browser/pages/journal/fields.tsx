import { TextInput, type TextInputProps } from "../../widgets/fields.tsx"
import { useWords } from "../../words/words.ts"
import { formWords } from "./formWords.ts"
import type { Fault } from "./typedPosition.ts"

/** What a fault of a field is in words; what the service said of it where there is none. */
export const useFault = (): (fault: Fault | undefined, refused?: string) => string | undefined => {
  const says = useWords(formWords)
  const told: Readonly<Record<Fault, string>> = {
    missing: says.missing,
    "no number": says.noNumber,
    stays: says.stays
  }
  return (fault, refused) => fault === undefined ? refused : told[fault]
}

/** A price or an amount, as it is typed. */
export const NumberInput = (props: Omit<TextInputProps, "isCode" | "keyboard" | "lines">) => (
  <TextInput {...props} keyboard="decimal" />
)
