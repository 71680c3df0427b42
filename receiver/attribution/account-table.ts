// SPDX-License-Identifier: Apache-2.0
import { EnergyAccount } from './energy-account.js';

/**
 * Accounts by a key that outlives processes (a command name, a user), at most `maxEntries` of them.
 * Entries stay for ever; what comes beyond the cap goes to `overflow`, so the sum stays whole.
 */
export class AccountTable<Key> {
  public readonly overflow = new EnergyAccount();
  private readonly accounts = new Map<Key, EnergyAccount>();

  public constructor(private readonly maxEntries: number) {}

  public accountOf(key: Key): EnergyAccount {
    const known = this.accounts.get(key);
    if (known !== undefined) return known;
    if (this.accounts.size >= this.maxEntries) return this.overflow;
    const account = new EnergyAccount();
    this.accounts.set(key, account);
    return account;
  }

  public values(): IterableIterator<[Key, EnergyAccount]> {
    return this.accounts.entries();
  }

  public all(): Iterable<EnergyAccount> {
    return [...this.accounts.values(), this.overflow];
  }
}
