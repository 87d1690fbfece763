import type { Meant } from "../asking/useWrite.ts"
import { useWords } from "../words/words.ts"
import { Button } from "./Button.tsx"
import forms from "./forms.module.css"
import { widgetWords } from "./words.ts"

/** The instruments that an unknown name may mean, each with a button that selects it. */
export const MeantRow = ({ meant, onTake }: {
  readonly meant: ReadonlyArray<Meant>
  readonly onTake: (symbol: string) => void
}) => {
  const says = useWords(widgetWords)
  if (meant.length === 0) return null
  return (
    <div className={forms["meant"]} role="status">
      <span className={forms["soft"]}>{says.meant}</span>
      {meant.map(({ name, symbol }) => (
        <Button key={symbol} onPress={() => onTake(symbol)}>{`${symbol} · ${name}`}</Button>
      ))}
    </div>
  )
}
