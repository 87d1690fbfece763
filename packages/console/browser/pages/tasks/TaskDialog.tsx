import { type SubmitEvent, useState } from "react"
import { useAsk } from "../../asking/useAsk.ts"
import { usePriced } from "../../asking/usePriced.ts"
import type { Refused } from "../../asking/useWrite.ts"
import { Button } from "../../widgets/Button.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { TextInput, Toggle } from "../../widgets/fields.tsx"
import forms from "../../widgets/forms.module.css"
import { TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { credits } from "../../words/credits.ts"
import { useLanguage } from "../../words/Languages.tsx"
import { useWords } from "../../words/words.ts"
import type { Task } from "./asks.ts"
import { useDescribe } from "./describe.ts"
import { taskFormWords } from "./formWords.ts"
import { ConditionFields, type SpecProps, TimesFields, useTaskFault } from "./specFields.tsx"
import { changedTask, newTask, ofKind, type TypedTask } from "./typedTask.ts"
import { useChange, useMake } from "./useTasks.ts"

/** The price of an answer of the analyst. Requesting the price is free. */
const useAnswerPrice = (): string | undefined => {
  const { language } = useLanguage()
  const price = useAsk(
    ["analyst", "price"],
    (client, options) => client.quote([{ name: "agent.answer", count: 1 }], options),
    { freshMs: 600_000 }
  )
  return price.state === "told" ? credits[language](price.data.total) : undefined
}

const Prompt = ({ change, refused, typed }: Omit<SpecProps, "faults">) => {
  const says = useWords(taskFormWords)
  const price = useAnswerPrice()
  const isWatch = typed.kind === "watch"
  const cost = price === undefined ? says.promptFree : says.promptHint(price)
  return (
    <>
      {isWatch && <Toggle isOn={typed.isAsked} onChange={(isAsked) => change({ isAsked })}>{says.ask}</Toggle>}
      {isWatch && !typed.isAsked ? <p className={forms["soft"]}>{says.reports}</p> : (
        <TextInput
          label={says.prompt}
          hint={isWatch ? cost : `${cost} ${says.promptDefault}`}
          lines={3}
          value={typed.prompt}
          onChange={(prompt) => change({ prompt })}
          fault={refused["prompt"]}
        />
      )}
    </>
  )
}

const Runs = ({ change, faults, refused, typed }: SpecProps) => {
  const says = useWords(taskFormWords)
  const faultOf = useTaskFault()
  return (
    <>
      <div className={forms["group"]}>
        <span className={forms["label"]}>{says.runs}</span>
        <Chips<TypedTask["runs"]>
          label={says.runs}
          chosen={typed.runs}
          onChange={(runs) => change({ runs })}
          options={[
            { value: "once", label: says.once },
            { value: "endless", label: says.endless },
            { value: "count", label: says.count }
          ]}
        />
      </div>
      {typed.runs === "count" && (
        <TextInput
          label={says.count}
          value={typed.count}
          onChange={(count) => change({ count })}
          fault={faultOf(faults.count, refused["max_runs"])}
          keyboard="numeric"
        />
      )}
    </>
  )
}

const isOfField = (path: string): boolean => /^(?:title|prompt|max_runs|spec(?:\..+)?)$/.test(path)

/** True if the fields show all issues of a rejected request. */
const isToldByFields = (refused: Refused): boolean =>
  Object.keys(refused).length > 0 && Object.keys(refused).every(isOfField)

/** Sends the form: a new task, or the changes of an existing one. */
const useSending = (typed: TypedTask, before: Task | undefined, onClose: () => void) => {
  const says = useWords(taskFormWords)
  const { language } = useLanguage()
  const describe = useDescribe()
  const suggested = describe.typed(typed)
  const tell = (text: string, notes: ReadonlyArray<string>) => {
    toast([text, ...notes].join(" "))
    onClose()
  }
  const making = useMake(({ notes, task }) => tell(says.made(task.title), notes))
  const changing = useChange(({ notes, task }) => tell(says.changed(task.title), notes))
  const { faults } = before === undefined ? newTask(typed, language, suggested) : changedTask(typed, before, language)
  return {
    writing: before === undefined ? making : changing,
    suggested,
    faults,
    send: () => {
      if (before === undefined) return making.run(newTask(typed, language, suggested).args)
      const { args } = changedTask(typed, before, language)
      if (args === undefined) onClose()
      else changing.run(args)
    }
  }
}

/** Creates a task, or changes the given one. */
export const TaskDialog = ({ begin, of: before, onClose }: {
  readonly begin: TypedTask
  readonly of?: Task
  readonly onClose: () => void
}) => {
  const says = useWords(taskFormWords)
  const priced = usePriced()
  const faultOf = useTaskFault()
  const [typed, setTyped] = useState(begin)
  const [isTried, setIsTried] = useState(false)
  const { faults, send, suggested, writing } = useSending(typed, before, onClose)
  const { isRunning, meant, refused, trouble, unknown } = writing
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (Object.keys(faults).length === 0) send()
  }
  const change = (part: Partial<TypedTask>) => {
    setTyped({ ...typed, ...part })
    writing.forget()
  }
  const common = { typed, change, faults: isTried ? faults : {}, refused }
  return (
    <Dialog title={before === undefined ? says.makeTitle : says.changeTitle} isOpen onClose={onClose}>
      <form className={forms["form"]} onSubmit={submit} noValidate>
        {before === undefined && (
          <div className={forms["group"]}>
            <span className={forms["label"]}>{says.kind}</span>
            <Chips
              label={says.kind}
              chosen={typed.kind}
              onChange={(kind) => change(ofKind(typed, kind))}
              options={[{ value: "watch", label: says.watch }, { value: "schedule", label: says.schedule }]}
            />
          </div>
        )}
        {typed.kind === "watch"
          ? <ConditionFields {...common} meant={meant} unknown={unknown} />
          : <TimesFields {...common} />}
        <Prompt {...common} />
        <Runs {...common} />
        <TextInput
          label={says.title}
          hint={typed.kind === "watch" ? says.titleHint : says.titleOfQuestion}
          placeholder={suggested}
          value={typed.title}
          onChange={(title) => change({ title })}
          fault={faultOf(common.faults.title, refused["title"])}
        />
        {before !== undefined && <p className={forms["soft"]}>{says.begins}</p>}
        {trouble !== undefined && unknown === undefined && !isToldByFields(refused) && (
          <TroubleNote
            trouble={trouble}
          />
        )}
        <DialogActions>
          <Button onPress={onClose}>{says.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isRunning}>
            {before === undefined ? priced(says.make, "create_task") : priced(says.save, "update_task")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
