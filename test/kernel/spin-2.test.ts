// SPDX-License-Identifier: Apache-2.0
import { describeSpinningCorpus } from '../support/kernel/spinning-corpus.js';

describeSpinningCorpus(1);
