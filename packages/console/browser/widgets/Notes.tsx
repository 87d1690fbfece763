import { useFormats } from "../words/formats.ts"
import { useNumbers } from "../words/numbers.ts"
import { useWords } from "../words/words.ts"
import styles from "./Notes.module.css"
import { widgetWords } from "./words.ts"

interface Said {
  readonly as_of: string
  readonly notes: ReadonlyArray<string>
  readonly gaps?: ReadonlyArray<{ readonly from: string; readonly to: string }>
}

/** The time of a result, its notes, and the gaps in its recorded data. */
export const Notes = ({ of: { as_of, gaps = [], notes } }: { readonly of: Said }) => {
  const says = useWords(widgetWords)
  const { time } = useNumbers()
  const { moment } = useFormats()
  return (
    <div className={styles["notes"]}>
      {gaps.map(({ from, to }) => <p key={from}>{says.gap(moment(from), moment(to))}</p>)}
      {notes.map((note) => <p key={note}>{note}</p>)}
      <p>{says.asOf(time(as_of))}</p>
    </div>
  )
}
