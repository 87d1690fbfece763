import type { AdminAccount, AdminKey, AdminTask, RunningAnswer } from "@tapeline/client/admin"
import { useState } from "react"
import { useTexts } from "../../i18n/texts.ts"
import { TextInput } from "../../widgets/fields.tsx"
import { ConfirmDialog } from "../../widgets/forms.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import { actionTexts } from "./actionTexts.ts"
import { useAdminChange } from "./adminAccess.tsx"

interface DialogProps {
  readonly account: AdminAccount
  readonly onClose: () => void
}

/** Returns the field `reason`, or no field for an empty text, because the API would store an empty reason. */
const toReason = (text: string) => text.trim() === "" ? {} : { reason: text.trim() }

const StatusDialog = ({ account, asksReason = true, detail, doneText, label, onClose, status, title }: DialogProps & {
  readonly status: AdminAccount["status"]
  readonly title: (name: string, id: number) => string
  readonly label: string
  readonly detail: string
  readonly doneText: (name: string) => string
  readonly asksReason?: boolean
}) => {
  const texts = useTexts(actionTexts)
  const [reason, setReason] = useState("")
  const action = useAdminChange(
    "changeAccount",
    (client, { change, id }: { readonly id: number; readonly change: object }, options) =>
      client.changeAccount(id, change, options),
    () => {
      showToast(doneText(account.name))
      onClose()
    }
  )
  return (
    <ConfirmDialog
      title={title(account.name, account.id)}
      label={label}
      action={action}
      onConfirm={() => action.run({ id: account.id, change: { status, ...toReason(reason) } })}
      onClose={onClose}
    >
      <p>{detail}</p>
      {asksReason && (
        <TextInput
          label={texts.operatorReason}
          hint={texts.operatorReasonHint}
          value={reason}
          onChange={setReason}
        />
      )}
    </ConfirmDialog>
  )
}

export const SuspendDialog = (props: DialogProps) => {
  const { suspend, suspendDetail, suspended, suspendTitle } = useTexts(actionTexts)
  const texts = { title: suspendTitle, label: suspend, detail: suspendDetail, doneText: suspended }
  return <StatusDialog status="suspended" {...texts} {...props} />
}

export const ReactivateDialog = (props: DialogProps) => {
  const { reactivate, reactivated, reactivateDetail, reactivateTitle } = useTexts(actionTexts)
  const texts = { title: reactivateTitle, label: reactivate, detail: reactivateDetail, doneText: reactivated }
  return <StatusDialog status="active" asksReason={false} {...texts} {...props} />
}

export const CloseDialog = (props: DialogProps) => {
  const { close, closeDetail, closed, closeTitle } = useTexts(actionTexts)
  const texts = { title: closeTitle, label: close, detail: closeDetail, doneText: closed }
  return <StatusDialog status="closed" {...texts} {...props} />
}

export const RevokeAllDialog = ({ account, onClose }: DialogProps) => {
  const texts = useTexts(actionTexts)
  const action = useAdminChange(
    "revokeAll",
    (client, id: number, options) => client.revokeAll(id, options),
    ({ keys, sessions }) => {
      showToast(texts.revokedAll(keys, sessions))
      onClose()
    }
  )
  return (
    <ConfirmDialog
      title={texts.revokeAllTitle(account.name, account.id)}
      label={texts.revokeAll}
      action={action}
      onConfirm={() => action.run(account.id)}
      onClose={onClose}
    >
      <p>{texts.revokeAllDetail}</p>
    </ConfirmDialog>
  )
}

export const RevokeKeyDialog = ({ account, apiKey: key, onClose }: DialogProps & { readonly apiKey: AdminKey }) => {
  const texts = useTexts(actionTexts)
  const action = useAdminChange(
    "revokeKey",
    (client, id: number, options) => client.revokeKey(id, options),
    () => {
      showToast(texts.keyRevoked(key.name))
      onClose()
    }
  )
  return (
    <ConfirmDialog
      title={texts.revokeKeyTitle(key.name, account.name, account.id)}
      label={texts.revokeKey}
      action={action}
      onConfirm={() => action.run(key.id)}
      onClose={onClose}
    >
      <p>{texts.revokeKeyDetail(key.prefix)}</p>
    </ConfirmDialog>
  )
}

const UserReason = ({ onChange, value }: {
  readonly value: string
  readonly onChange: (reason: string) => void
}) => {
  const texts = useTexts(actionTexts)
  return (
    <TextInput
      label={texts.userReason}
      hint={texts.userReasonHint}
      value={value}
      onChange={onChange}
    />
  )
}

export const StopAnswerDialog = ({ account, answer, onClose }: DialogProps & { readonly answer: RunningAnswer }) => {
  const texts = useTexts(actionTexts)
  const [reason, setReason] = useState("")
  const action = useAdminChange(
    "stopAnswer",
    (client, { id, stop }: { readonly id: number; readonly stop: { readonly reason?: string } }, options) =>
      client.stopAnswer(id, stop, options),
    () => {
      showToast(texts.stopped(answer.id))
      onClose()
    }
  )
  return (
    <ConfirmDialog
      title={texts.stopTitle(answer.id, account.name, account.id)}
      label={texts.stop}
      action={action}
      onConfirm={() => action.run({ id: answer.id, stop: toReason(reason) })}
      onClose={onClose}
    >
      <p>{texts.stopDetail}</p>
      <UserReason value={reason} onChange={setReason} />
    </ConfirmDialog>
  )
}

interface Pause {
  readonly account: number
  readonly task: number
  readonly pause: { readonly reason?: string }
}

export const PauseTaskDialog = ({ account, onClose, task }: DialogProps & { readonly task: AdminTask }) => {
  const texts = useTexts(actionTexts)
  const [reason, setReason] = useState("")
  const action = useAdminChange(
    "pauseTask",
    (client, { account, pause, task }: Pause, options) => client.pauseTask(account, task, pause, options),
    () => {
      showToast(texts.paused(task.title))
      onClose()
    }
  )
  return (
    <ConfirmDialog
      title={texts.pauseTitle(task.title, account.name, account.id)}
      label={texts.pause}
      action={action}
      onConfirm={() => action.run({ account: account.id, task: task.id, pause: toReason(reason) })}
      onClose={onClose}
    >
      <p>{texts.pauseDetail}</p>
      <UserReason value={reason} onChange={setReason} />
    </ConfirmDialog>
  )
}
