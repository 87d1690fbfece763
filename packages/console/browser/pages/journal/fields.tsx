import { TextInput, type TextInputProps } from "../../widgets/fields.tsx"
import { useWords } from "../../words/words.ts"
import { formWords } from "./formWords.ts"
import type { Fault } from "./typedPosition.ts"

/** Returns the message for a fault of a field; without a fault, the service's own message. */
export const useFault = (): (fault: Fault | undefined, refused?: string) => string | undefined => {
  const says = useWords(formWords)
  const told: Readonly<Record<Fault, string>> = {
    missing: says.missing,
    "no number": says.noNumber,
    stays: says.stays
  }
  return (fault, refused) => fault === undefined ? refused : told[fault]
}

/** A field for a price or an amount. */
export const NumberInput = (props: Omit<TextInputProps, "isCode" | "keyboard" | "lines">) => (
  <TextInput {...props} keyboard="decimal" />
)
