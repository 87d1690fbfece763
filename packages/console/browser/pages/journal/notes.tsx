import { type SubmitEvent, useState } from "react"
import { usePriced } from "../../asking/usePriced.ts"
import { useToldBefore } from "../../asking/useToldBefore.ts"
import { useWrite, type Writing } from "../../asking/useWrite.ts"
import { Button } from "../../widgets/Button.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import forms from "../../widgets/forms.module.css"
import { MeantRow } from "../../widgets/MeantRow.tsx"
import { TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { historyAsk, type JournalNote, type Trade } from "./asks.ts"
import styles from "./Journal.module.css"
import { withNote } from "./journal.ts"
import { tradeWords } from "./tradeWords.ts"

type Noted = Pick<JournalNote, "id" | "text" | "time" | "coin">

/** Notes with their times and subjects. */
export const NoteList = ({ notes }: { readonly notes: ReadonlyArray<Noted> }) => {
  const { time } = useNumbers()
  return (
    <ul className={styles["notes"]}>
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

const useAddNote = (days: number, done: () => void): Writing<NewNote> => {
  const { change, outdate } = useToldBefore()
  return useWrite(
    "add_journal_note",
    (client, note: NewNote, options) => client.tools.add_journal_note(note, options),
    ({ note }) => {
      // Other periods are stale now. This period gets the note at once and is not requested again.
      outdate("get_trade_history")
      change(historyAsk(days), (before) => withNote(before, note))
      done()
    }
  )
}

const Text = ({ adding, isTried, onChange, text }: {
  readonly adding: Writing<NewNote>
  readonly isTried: boolean
  readonly text: string
  readonly onChange: (text: string) => void
}) => {
  const says = useWords(tradeWords)
  return (
    <TextInput
      label={says.noteText}
      lines={4}
      value={text}
      onChange={(next) => {
        onChange(next)
        adding.forget()
      }}
      fault={isTried && text.trim() === "" ? says.missing : adding.refused["text"]}
    />
  )
}

/** A form for a note on a coin, or on trading in general. */
export const AddNoteDialog = ({ days, onClose }: { readonly days: number; readonly onClose: () => void }) => {
  const says = useWords(tradeWords)
  const priced = usePriced()
  const [text, setText] = useState("")
  const [coin, setCoin] = useState("")
  const [isTried, setIsTried] = useState(false)
  const adding = useAddNote(days, () => {
    toast(says.added)
    onClose()
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setIsTried(true)
    const ticker = coin.trim().toUpperCase()
    if (text.trim() !== "") adding.run({ text: text.trim(), ...(ticker === "" ? {} : { coin: ticker }) })
  }
  const { isRunning, meant, refused, trouble, unknown } = adding
  return (
    <Dialog title={says.addNote} isOpen onClose={onClose}>
      <form className={forms["form"]} onSubmit={submit} noValidate>
        <Text adding={adding} isTried={isTried} text={text} onChange={setText} />
        <TextInput
          label={says.noteCoin}
          hint={says.noteCoinHint}
          value={coin}
          onChange={setCoin}
          fault={refused["coin"] ?? unknown}
          placeholder="BTC"
          isCode
        />
        <MeantRow meant={meant} onTake={setCoin} />
        {trouble !== undefined && unknown === undefined && Object.keys(refused).length === 0 && (
          <TroubleNote trouble={trouble} />
        )}
        <DialogActions>
          <Button onPress={onClose}>{says.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isRunning}>{priced(says.add, "add_journal_note")}</Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** The notes on a trade: those written at its close, and those added later. */
export const TradeNotesDialog = ({ canWrite, days, notes, onClose, trade }: {
  readonly days: number
  readonly trade: Trade
  readonly notes: ReadonlyArray<JournalNote>
  readonly canWrite: boolean
  readonly onClose: () => void
}) => {
  const says = useWords(tradeWords)
  const priced = usePriced()
  const [text, setText] = useState("")
  const [isTried, setIsTried] = useState(false)
  const adding = useAddNote(days, () => {
    toast(says.added)
    setText("")
    setIsTried(false)
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (text.trim() !== "") adding.run({ text: text.trim(), trade_id: trade.id })
  }
  const closing: ReadonlyArray<Noted> = trade.notes === null
    ? []
    : [{ id: trade.id, text: trade.notes, time: trade.closed_at, coin: null }]
  const all = [...notes.map((note) => ({ ...note, coin: null })), ...closing]
  const { isRunning, refused, trouble } = adding
  return (
    <Dialog title={says.notesOf(trade.coin)} isOpen onClose={onClose}>
      {all.length === 0 ? <p className={styles["soft"]}>{says.noTradeNotes}</p> : <NoteList notes={all} />}
      <form className={forms["form"]} onSubmit={submit} noValidate>
        {canWrite && <Text adding={adding} isTried={isTried} text={text} onChange={setText} />}
        {trouble !== undefined && Object.keys(refused).length === 0 && <TroubleNote trouble={trouble} />}
        <DialogActions>
          <Button onPress={onClose}>{says.done}</Button>
          {canWrite && (
            <Button type="submit" look="primary" isBusy={isRunning}>{priced(says.add, "add_journal_note")}</Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}
