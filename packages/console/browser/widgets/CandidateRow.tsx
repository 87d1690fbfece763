import { useTexts } from "../i18n/texts.ts"
import type { Candidate } from "../requests/useWrite.ts"
import { Button } from "./Button.tsx"
import { widgetTexts } from "./texts.ts"

/** A row of buttons, one for each instrument that an ambiguous name may mean. */
export const CandidateRow = ({ candidates, onSelect }: {
  readonly candidates: ReadonlyArray<Candidate>
  readonly onSelect: (symbol: string) => void
}) => {
  const texts = useTexts(widgetTexts)
  if (candidates.length === 0) return null
  return (
    <div className="row wrap gap-1 gap-x-2" role="status">
      <span className="soft small">{texts.candidates}</span>
      {candidates.map(({ name, symbol }) => (
        <Button key={symbol} onPress={() => onSelect(symbol)}>{`${symbol} · ${name}`}</Button>
      ))}
    </div>
  )
}
