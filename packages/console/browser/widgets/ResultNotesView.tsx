import { useFormats } from "../i18n/formats.ts"
import { useNumbers } from "../i18n/numbers.ts"
import { useTexts } from "../i18n/texts.ts"
import { widgetTexts } from "./texts.ts"

interface ResultNotes {
  readonly as_of: string
  readonly notes: ReadonlyArray<string>
  readonly gaps?: ReadonlyArray<{ readonly from: string; readonly to: string }>
}

export const ResultNotesView = ({ result: { as_of, gaps = [], notes } }: { readonly result: ResultNotes }) => {
  const texts = useTexts(widgetTexts)
  const { time } = useNumbers()
  const { dayTime } = useFormats()
  return (
    <div className="column gap-half soft small">
      {gaps.map(({ from, to }) => <p key={from}>{texts.gap(dayTime(from), dayTime(to))}</p>)}
      {notes.map((note) => <p key={note}>{note}</p>)}
      <p>{texts.asOf(time(as_of))}</p>
    </div>
  )
}
