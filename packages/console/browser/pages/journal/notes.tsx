import { type SubmitEvent, useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useCachedResults } from "../../requests/cachedResults.ts"
import { usePricedLabel } from "../../requests/catalogue.ts"
import { useWrite, type WriteAction } from "../../requests/useWrite.ts"
import { Button } from "../../widgets/Button.tsx"
import { CandidateRow } from "../../widgets/CandidateRow.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import { FormActions, useForm } from "../../widgets/forms.tsx"
import { ProblemNote } from "../../widgets/states.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import styles from "./Journal.module.css"
import { withNote } from "./journal.ts"
import { historyQuery, type JournalNote, type Trade } from "./queries.ts"
import { tradeTexts } from "./tradeTexts.ts"

type DatedNote = Pick<JournalNote, "id" | "text" | "time" | "coin">

export const NoteList = ({ notes }: { readonly notes: ReadonlyArray<DatedNote> }) => {
  const { time } = useNumbers()
  return (
    <ul className="column">
      {notes.map(({ coin, id, text, time: at }) => (
        <li key={id} className={styles["note"]}>
          <span className={styles["noteHead"]}>
            <time dateTime={at}>{time(at)}</time>
            {coin !== null && <strong>{coin}</strong>}
          </span>
          {text}
        </li>
      ))}
    </ul>
  )
}

interface NewNote {
  readonly text: string
  readonly trade_id?: number
  readonly coin?: string
}

const useAddNote = (days: number, onAdded: () => void): WriteAction<NewNote> => {
  const { update, invalidate } = useCachedResults()
  return useWrite(
    "add_journal_note",
    (client, note: NewNote, options) => client.tools.add_journal_note(note, options),
    ({ note }) => {
      // The new note is added to the shown period without a request. The cached results of the other periods become
      // stale.
      invalidate("get_trade_history")
      update(historyQuery(days), (before) => withNote(before, note))
      onAdded()
    }
  )
}

const NoteField = ({ addAction, isSubmitted, onChange, text }: {
  readonly addAction: WriteAction<NewNote>
  readonly isSubmitted: boolean
  readonly text: string
  readonly onChange: (text: string) => void
}) => {
  const texts = useTexts(tradeTexts)
  return (
    <TextInput
      label={texts.noteText}
      lines={4}
      value={text}
      onChange={(next) => {
        onChange(next)
        addAction.reset()
      }}
      fault={isSubmitted && text.trim() === "" ? texts.missing : addAction.issues["text"]}
    />
  )
}

export const AddNoteDialog = ({ days, onClose }: { readonly days: number; readonly onClose: () => void }) => {
  const texts = useTexts(tradeTexts)
  const pricedLabel = usePricedLabel()
  const [text, setText] = useState("")
  const [coin, setCoin] = useState("")
  const addAction = useAddNote(days, () => {
    showToast(texts.added)
    onClose()
  })
  const { isSubmitted, submit } = useForm(() => {
    const ticker = coin.trim().toUpperCase()
    if (text.trim() !== "") addAction.run({ text: text.trim(), ...(ticker === "" ? {} : { coin: ticker }) })
  })
  const { isRunning, candidates, issues, problem, unknownSymbol } = addAction
  return (
    <Dialog title={texts.addNote} isOpen onClose={onClose}>
      <form className="column gap-3" onSubmit={submit} noValidate>
        <NoteField addAction={addAction} isSubmitted={isSubmitted} text={text} onChange={setText} />
        <TextInput
          label={texts.noteCoin}
          hint={texts.noteCoinHint}
          value={coin}
          onChange={setCoin}
          fault={issues["coin"] ?? unknownSymbol}
          placeholder="BTC"
          isCode
        />
        <CandidateRow candidates={candidates} onSelect={setCoin} />
        <FormActions
          label={pricedLabel(texts.add, "add_journal_note")}
          isRunning={isRunning}
          problem={unknownSymbol === undefined && Object.keys(issues).length === 0 ? problem : undefined}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

export const TradeNotesDialog = ({ canWrite, days, notes, onClose, trade }: {
  readonly days: number
  readonly trade: Trade
  readonly notes: ReadonlyArray<JournalNote>
  readonly canWrite: boolean
  readonly onClose: () => void
}) => {
  const texts = useTexts(tradeTexts)
  const pricedLabel = usePricedLabel()
  const [text, setText] = useState("")
  const [isSubmitted, setIsSubmitted] = useState(false)
  const addAction = useAddNote(days, () => {
    showToast(texts.added)
    setText("")
    setIsSubmitted(false)
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setIsSubmitted(true)
    if (text.trim() !== "") addAction.run({ text: text.trim(), trade_id: trade.id })
  }
  const closingNotes: ReadonlyArray<DatedNote> = trade.notes === null
    ? []
    : [{ id: trade.id, text: trade.notes, time: trade.closed_at, coin: null }]
  const allNotes = [...notes.map((note) => ({ ...note, coin: null })), ...closingNotes]
  const { isRunning, issues, problem } = addAction
  return (
    <Dialog title={texts.notesOf(trade.coin)} isOpen onClose={onClose}>
      {allNotes.length === 0 ? <p className="soft small">{texts.noTradeNotes}</p> : <NoteList notes={allNotes} />}
      <form className="column gap-3" onSubmit={submit} noValidate>
        {canWrite && <NoteField addAction={addAction} isSubmitted={isSubmitted} text={text} onChange={setText} />}
        {problem !== undefined && Object.keys(issues).length === 0 && <ProblemNote problem={problem} />}
        <DialogActions>
          <Button onPress={onClose}>{texts.done}</Button>
          {canWrite && (
            <Button type="submit" variant="primary" isBusy={isRunning}>
              {pricedLabel(texts.add, "add_journal_note")}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}
