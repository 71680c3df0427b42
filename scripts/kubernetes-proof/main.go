// SPDX-License-Identifier: Apache-2.0

// Command kubernetes-proof is a control plane small enough to check manifests with: etcd inside the process,
// the real kube-apiserver around it, and kubectl under the same name.
//
//	kubernetes-proof serve FOLDER    until it is ended; writes FOLDER/kubeconfig when it can be asked
//	kubernetes-proof kubectl ARGS
//
// No kubelet and no controllers: objects are admitted and stored, nothing runs.
package main

import (
	"fmt"
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if len(os.Args) >= 2 && os.Args[1] == "kubectl" {
		os.Args = os.Args[1:]
		if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
			util.CheckErr(err)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		if err := serve(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "kubernetes-proof:", err)
			os.Exit(1)
		}
		return
	}
	fmt.Fprintln(os.Stderr, "usage: kubernetes-proof serve FOLDER | kubernetes-proof kubectl ARGS")
	os.Exit(2)
}
