import { useTexts } from "../../i18n/texts.ts"
import { TextInput, type TextInputProps } from "../../widgets/fields.tsx"
import type { Fault } from "./positionDraft.ts"
import { positionFormTexts } from "./positionFormTexts.ts"

/**
 * Returns a function that formats the error of a form field. If a field has no error, the function returns the
 * service's message for the field.
 */
export const useFaultText = (): (fault: Fault | undefined, refused?: string) => string | undefined => {
  const texts = useTexts(positionFormTexts)
  const faultTexts: Readonly<Record<Fault, string>> = {
    missing: texts.missing,
    "no number": texts.noNumber,
    "cannot remove": texts.cannotRemove
  }
  return (fault, refused) => fault === undefined ? refused : faultTexts[fault]
}

export const NumberInput = (props: Omit<TextInputProps, "isCode" | "keyboard" | "lines">) => (
  <TextInput {...props} keyboard="decimal" />
)
