import { useState } from "react"
import { creditTexts } from "../../i18n/creditTexts.ts"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { usePricedLabel } from "../../requests/catalogue.ts"
import { useRequest } from "../../requests/useRequest.ts"
import type { ArgumentIssues } from "../../requests/useWrite.ts"
import { Chips } from "../../widgets/Chips.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { TextInput, Toggle } from "../../widgets/fields.tsx"
import { FormActions, useForm } from "../../widgets/forms.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import { useTaskDescriber } from "./describe.ts"
import { taskFormTexts } from "./formTexts.ts"
import type { Task } from "./queries.ts"
import { ConditionFields, ScheduleFields, type SpecFieldsProps, useTaskFaultText } from "./specFields.tsx"
import { parseChangedTask, parseNewTask, type TaskDraft, withKind } from "./taskDraft.ts"
import { useChangeTask, useCreateTask } from "./useTasks.ts"

/** Returns the formatted price of one answer of the analyst. */
const useAnswerPrice = (): string | undefined => {
  const { language } = useLanguage()
  const price = useRequest(
    ["analyst", "price"],
    (client, options) => client.quote([{ name: "agent.answer", count: 1 }], options),
    { freshMs: 600_000 }
  )
  return price.state === "loaded" ? creditTexts[language](price.data.total) : undefined
}

const PromptField = ({ change, issues, draft }: Omit<SpecFieldsProps, "faults">) => {
  const texts = useTexts(taskFormTexts)
  const price = useAnswerPrice()
  const isWatch = draft.kind === "watch"
  const cost = price === undefined ? texts.promptFree : texts.promptHint(price)
  return (
    <>
      {isWatch && (
        <Toggle isOn={draft.asksAnalyst} onChange={(asksAnalyst) => change({ asksAnalyst })}>{texts.ask}</Toggle>
      )}
      {isWatch && !draft.asksAnalyst ? <p className="soft small">{texts.reports}</p> : (
        <TextInput
          label={texts.prompt}
          hint={isWatch ? cost : `${cost} ${texts.promptDefault}`}
          lines={3}
          value={draft.prompt}
          onChange={(prompt) => change({ prompt })}
          fault={issues["prompt"]}
        />
      )}
    </>
  )
}

const RunsField = ({ change, faults, issues, draft }: SpecFieldsProps) => {
  const texts = useTexts(taskFormTexts)
  const faultText = useTaskFaultText()
  return (
    <>
      <div className="column gap-1">
        <span className="medium">{texts.runs}</span>
        <Chips<TaskDraft["runs"]>
          label={texts.runs}
          selected={draft.runs}
          onChange={(runs) => change({ runs })}
          options={[
            { value: "once", label: texts.once },
            { value: "endless", label: texts.endless },
            { value: "count", label: texts.count }
          ]}
        />
      </div>
      {draft.runs === "count" && (
        <TextInput
          label={texts.count}
          value={draft.count}
          onChange={(count) => change({ count })}
          fault={faultText(faults.count, issues["max_runs"])}
          keyboard="numeric"
        />
      )}
    </>
  )
}

const isFieldPath = (path: string): boolean => /^(?:title|prompt|max_runs|spec(?:\..+)?)$/.test(path)

const isShownByFields = (refused: ArgumentIssues): boolean =>
  Object.keys(refused).length > 0 && Object.keys(refused).every(isFieldPath)

const useTaskForm = (draft: TaskDraft, existing: Task | undefined, onClose: () => void) => {
  const texts = useTexts(taskFormTexts)
  const { language } = useLanguage()
  const describe = useTaskDescriber()
  const suggestedTitle = describe.draft(draft)
  const confirm = (text: string, notes: ReadonlyArray<string>) => {
    showToast([text, ...notes].join(" "))
    onClose()
  }
  const createAction = useCreateTask(({ notes, task }) => confirm(texts.created(task.title), notes))
  const changeAction = useChangeTask(({ notes, task }) => confirm(texts.changed(task.title), notes))
  const { faults } = existing === undefined
    ? parseNewTask(draft, language, suggestedTitle)
    : parseChangedTask(draft, existing, language)
  return {
    writeAction: existing === undefined ? createAction : changeAction,
    suggestedTitle,
    faults,
    send: () => {
      if (existing === undefined) return createAction.run(parseNewTask(draft, language, suggestedTitle).args)
      const { args } = parseChangedTask(draft, existing, language)
      if (args === undefined) onClose()
      else changeAction.run(args)
    }
  }
}

export const TaskDialog = ({ initial, existing, onClose }: {
  readonly initial: TaskDraft
  readonly existing?: Task
  readonly onClose: () => void
}) => {
  const texts = useTexts(taskFormTexts)
  const pricedLabel = usePricedLabel()
  const faultText = useTaskFaultText()
  const [draft, setDraft] = useState(initial)
  const { faults, send, suggestedTitle, writeAction } = useTaskForm(draft, existing, onClose)
  const { isRunning, candidates, issues, problem, unknownSymbol } = writeAction
  const { isSubmitted, submit } = useForm(() => {
    if (Object.keys(faults).length === 0) send()
  })
  const change = (changes: Partial<TaskDraft>) => {
    setDraft({ ...draft, ...changes })
    writeAction.reset()
  }
  const fieldProps = { draft, change, faults: isSubmitted ? faults : {}, issues }
  return (
    <Dialog title={existing === undefined ? texts.createTitle : texts.changeTitle} isOpen onClose={onClose}>
      <form className="column gap-3" onSubmit={submit} noValidate>
        {existing === undefined && (
          <div className="column gap-1">
            <span className="medium">{texts.kind}</span>
            <Chips
              label={texts.kind}
              selected={draft.kind}
              onChange={(kind) => change(withKind(draft, kind))}
              options={[{ value: "watch", label: texts.watch }, { value: "schedule", label: texts.schedule }]}
            />
          </div>
        )}
        {draft.kind === "watch"
          ? <ConditionFields {...fieldProps} candidates={candidates} unknownSymbol={unknownSymbol} />
          : <ScheduleFields {...fieldProps} />}
        <PromptField {...fieldProps} />
        <RunsField {...fieldProps} />
        <TextInput
          label={texts.title}
          hint={draft.kind === "watch" ? texts.titleHint : texts.titleOfQuestion}
          placeholder={suggestedTitle}
          value={draft.title}
          onChange={(title) => change({ title })}
          fault={faultText(fieldProps.faults.title, issues["title"])}
        />
        {existing !== undefined && <p className="soft small">{texts.restarts}</p>}
        <FormActions
          label={existing === undefined
            ? pricedLabel(texts.create, "create_task")
            : pricedLabel(texts.save, "update_task")}
          isRunning={isRunning}
          problem={unknownSymbol === undefined && !isShownByFields(issues) ? problem : undefined}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
