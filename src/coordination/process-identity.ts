// Which process it is. Two containers with one hostname are both host:1, so names decide nothing.

export interface ProcessIdentity {
  /** A uuid of this run of the process. It decides who holds the head's post. */
  readonly id: string
  /** host:pid, for people. */
  readonly name: string
}
