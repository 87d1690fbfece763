import type { Meant } from "../../asking/useWrite.ts"
import { Button } from "../../widgets/Button.tsx"
import { TextInput, type TextInputProps } from "../../widgets/fields.tsx"
import { useWords } from "../../words/words.ts"
import { formWords } from "./formWords.ts"
import styles from "./Journal.module.css"
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

/** What a name that was not known may mean, each to be taken instead. */
export const MeantRow = ({ meant, onTake }: {
  readonly meant: ReadonlyArray<Meant>
  readonly onTake: (symbol: string) => void
}) => {
  const says = useWords(formWords)
  if (meant.length === 0) return null
  return (
    <div className={styles["meant"]} role="status">
      <span className={styles["soft"]}>{says.meant}</span>
      {meant.map(({ name, symbol }) => (
        <Button key={symbol} onPress={() => onTake(symbol)}>{`${symbol} · ${name}`}</Button>
      ))}
    </div>
  )
}
