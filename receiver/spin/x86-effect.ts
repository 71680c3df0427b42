// SPDX-License-Identifier: Apache-2.0
/** What an x86 instruction does with values: copies, steps by a constant, exchanges, or anything else. */
import { FlowControl, Mnemonic, OpKind, type Instruction, type Register } from 'iced-x86';
import type { Effect, Place } from './instruction.js';

const MIX: Effect = { _tag: 'Mix' };

const IMMEDIATES: ReadonlySet<OpKind> = new Set([
  OpKind.Immediate8,
  OpKind.Immediate16,
  OpKind.Immediate32,
  OpKind.Immediate64,
  OpKind.Immediate8to16,
  OpKind.Immediate8to32,
  OpKind.Immediate8to64,
  OpKind.Immediate32to64,
]);

const placeOf = (
  iced: Instruction,
  operand: number,
  nameOf: (register: Register) => string,
): Place | undefined => {
  switch (iced.opKind(operand)) {
    case OpKind.Register:
      return { register: nameOf(iced.opRegister(operand)) };
    case OpKind.Memory:
      return 'memory';
    default:
      return undefined;
  }
};

const REPEATABLE: ReadonlySet<Mnemonic> = new Set([
  Mnemonic.And,
  Mnemonic.Or,
  Mnemonic.Bts,
  Mnemonic.Btr,
]);

/** Done twice it is as done once: a lock bit that is set again, a mask, the fence `lock orl $0,(%rsp)`. */
const isNothing = (iced: Instruction): boolean =>
  REPEATABLE.has(iced.mnemonic) && IMMEDIATES.has(iced.op1Kind);

const addOf = (iced: Instruction, to: Place | undefined): Effect => {
  if (to === undefined) return MIX;
  if (isNothing(iced)) return { _tag: 'Add', to, amount: 0n };
  const amount = (sign: bigint): Effect =>
    IMMEDIATES.has(iced.op1Kind)
      ? { _tag: 'Add', to, amount: sign * BigInt.asIntN(64, iced.immediate(1)) }
      : MIX;
  switch (iced.mnemonic) {
    case Mnemonic.Add:
      return amount(1n);
    case Mnemonic.Sub:
      return amount(-1n);
    case Mnemonic.Inc:
      return { _tag: 'Add', to, amount: 1n };
    case Mnemonic.Dec:
      return { _tag: 'Add', to, amount: -1n };
    case Mnemonic.And:
    case Mnemonic.Or:
      return { _tag: 'Gather', to };
    default:
      return MIX;
  }
};

export const effectOf = (iced: Instruction, nameOf: (register: Register) => string): Effect => {
  const [to, from] = [0, 1].map((operand) =>
    operand < iced.opCount ? placeOf(iced, operand, nameOf) : undefined,
  );
  switch (iced.mnemonic) {
    case Mnemonic.Mov:
      return to === undefined || from === undefined ? MIX : { _tag: 'Copy', from, to };
    case Mnemonic.Push:
      return to === undefined || to === 'memory' ? MIX : { _tag: 'Copy', from: to, to: 'memory' };
    case Mnemonic.Pop:
      return to === undefined || to === 'memory' ? MIX : { _tag: 'Copy', from: 'memory', to };
    case Mnemonic.Vzeroupper:
      return { _tag: 'Nothing' };
    case Mnemonic.Leave:
      return { _tag: 'Leave' };
    case Mnemonic.Lea:
      return to === undefined || to === 'memory' ? MIX : { _tag: 'Address', to: to.register };
    case Mnemonic.Cmpxchg:
      return to === 'memory' ? { _tag: 'CompareExchange' } : MIX;
    case Mnemonic.Xchg:
      return to === 'memory' || from === 'memory' ? { _tag: 'Exchange' } : MIX;
    default:
      return addOf(iced, to);
  }
};

const PLAIN: ReadonlySet<Mnemonic> = new Set([
  Mnemonic.Cmp,
  Mnemonic.Test,
  Mnemonic.Bt,
  Mnemonic.Mov,
  Mnemonic.Movzx,
  Mnemonic.Movsx,
  Mnemonic.Movsxd,
  Mnemonic.Cdqe,
  Mnemonic.And,
  Mnemonic.Or,
  Mnemonic.Xor,
  Mnemonic.Not,
  Mnemonic.Sete,
  Mnemonic.Setne,
  Mnemonic.Setb,
  Mnemonic.Setae,
  Mnemonic.Setbe,
  Mnemonic.Seta,
  Mnemonic.Setl,
  Mnemonic.Setle,
  Mnemonic.Setg,
  Mnemonic.Setge,
  Mnemonic.Sets,
  Mnemonic.Setns,
  Mnemonic.Nop,
  Mnemonic.Pause,
  Mnemonic.Endbr64,
  Mnemonic.Mfence,
  Mnemonic.Lfence,
]);

export const isPlain = (iced: Instruction): boolean =>
  PLAIN.has(iced.mnemonic) ||
  iced.flowControl !== FlowControl.Next ||
  effectOf(iced, String)._tag !== 'Mix';
